import { describeWithOwnKafka, makeCertificate } from '@tidemark/testing-servers';
import type { SASLOptions } from 'kafkajs';
import type { ConnectionOptions } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { LogUnavailableError } from '../errors.ts';
import { Collector } from '../testing/collector.ts';
import { append, Harness, record, unique, until } from '../testing/harness.ts';
import { openKafkaEventLog } from './kafka-event-log.ts';

const broker = makeCertificate();
const client = makeCertificate('tidemark');
const stranger = makeCertificate('stranger');
const inOneLine = (pem: string) => pem.trim().replaceAll('\n', '\\n');
const plain = 'org.apache.kafka.common.security.plain.PlainLoginModule';
const scram = 'org.apache.kafka.common.security.scram.ScramLoginModule';

/** Real brokers with certificates of our own: nothing here turns a check off. */
describeWithOwnKafka(
  'Kafka over TLS',
  ({ addresses }) => {
    let harness: Harness;
    afterEach(() => harness.close());
    const using = (listener: string, ssl: ConnectionOptions, sasl?: SASLOptions) => {
      const options = { brokers: [addresses[listener] ?? ''], replicationFactor: 1, ssl, ...(sasl && { sasl }) };
      harness = new Harness({ open: () => Promise.resolve(openKafkaEventLog(options)), compactsByItself: true });
      return harness.open();
    };
    const worksThrough = async (opened: ReturnType<typeof using>) => {
      const log = await opened;
      const topic = await harness.topic(log);
      const collector = new Collector(harness.offsets, unique());
      await log.consume({ group: unique(), topic, sessions: collector });
      await append(await log.writer(unique()), record(topic, 'a', '1'));
      await until('it is there', () => collector.values().includes('1'));
    };
    const trust = { ca: [broker.cert] };
    const login = (mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512', password = 'secret') =>
      ({ mechanism, username: 'tidemark', password }) as SASLOptions;

    test('with a certificate on both sides', () =>
      worksThrough(using('MUTUAL', { ...trust, cert: client.cert, key: client.key })));

    test.each(['plain', 'scram-sha-256', 'scram-sha-512'] as const)('with a login by %s', (mechanism) =>
      worksThrough(using('LOGIN', trust, login(mechanism))),
    );

    test('a broker that nobody vouches for, a wrong password and a strange certificate are errors that say so', async () => {
      const untrusted = (await using('LOGIN', { ca: [stranger.cert] }, login('plain'))).ping();
      await expect(untrusted).rejects.toThrow(LogUnavailableError);
      await expect(untrusted).rejects.toThrow(/self-signed|certificate/i);
      const wrong = (await using('LOGIN', trust, login('scram-sha-256', 'wrong'))).ping();
      await expect(wrong).rejects.toThrow(/[Aa]uthentication/);
      const strange = (await using('MUTUAL', { ...trust, cert: stranger.cert, key: stranger.key })).ping();
      await expect(strange).rejects.toThrow(LogUnavailableError);
    });
  },
  () => ({
    listeners: { MUTUAL: 'SSL', LOGIN: 'SASL_SSL' },
    scram: [256, 512].map((bits) => `SCRAM-SHA-${bits}=[name=tidemark,password=secret]`),
    settings: {
      'ssl.keystore.type': 'PEM',
      'ssl.keystore.certificate.chain': inOneLine(broker.cert),
      'ssl.keystore.key': inOneLine(broker.key),
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.certificates': inOneLine(client.cert),
      'listener.name.mutual.ssl.client.auth': 'required',
      'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
      'listener.name.login.plain.sasl.jaas.config': `${plain} required user_tidemark="secret";`,
      'listener.name.login.scram-sha-256.sasl.jaas.config': `${scram} required;`,
      'listener.name.login.scram-sha-512.sasl.jaas.config': `${scram} required;`,
    },
  }),
);
