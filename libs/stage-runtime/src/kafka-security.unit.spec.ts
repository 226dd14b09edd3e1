import { describe, expect, it } from 'vitest';
import { kafkaSecurity } from './kafka-security.ts';

describe('security of the brokers', () => {
  it('is none, TLS, or TLS with a login', () => {
    expect(kafkaSecurity({ kafkaTls: false })).toEqual({});
    expect(kafkaSecurity({ kafkaTls: true })).toEqual({ ssl: true });
    const login = { kafkaSaslMechanism: 'scram-sha-512', kafkaUser: 'u', kafkaPassword: 'p' } as const;
    expect(kafkaSecurity({ kafkaTls: true, ...login })).toEqual({
      ssl: true,
      sasl: { mechanism: 'scram-sha-512', username: 'u', password: 'p' },
    });
  });

  it.each([
    [{ kafkaCertFile: 'a' }, 'TIDEMARK_KAFKA_KEY_FILE'],
    [{ kafkaCaFile: '/no/such/file' }, 'TIDEMARK_KAFKA_CA_FILE: ENOENT'],
    [{ kafkaSaslMechanism: 'plain', kafkaUser: 'u' } as const, 'TIDEMARK_KAFKA_PASSWORD go together'],
    [{ kafkaPassword: 'hunter2' }, 'TIDEMARK_KAFKA_USER'],
    [{ kafkaSaslMechanism: 'plain', kafkaUser: 'u', kafkaPassword: 'hunter2' } as const, 'set TIDEMARK_KAFKA_TLS'],
  ])('%j is refused, without a value', (config, reason) => {
    const open = () => kafkaSecurity({ kafkaTls: false, ...config });
    expect(open).toThrow(reason);
    expect(open).not.toThrow('hunter2');
  });
});
