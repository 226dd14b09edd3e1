import { readFileSync } from 'node:fs';
import type { KafkaEventLogOptions } from '@tidemark/event-log';
import type { AloneConfig } from './config/alone-config.ts';

type SecurityConfig = Pick<
  AloneConfig,
  'kafkaTls' | 'kafkaCaFile' | 'kafkaCertFile' | 'kafkaKeyFile' | 'kafkaSaslMechanism' | 'kafkaUser' | 'kafkaPassword'
>;

/**
 * TLS and login of the brokers, as the environment has them.
 *
 * @throws Error naming the variables that do not go together, or the file that can't be read
 */
export function kafkaSecurity(config: SecurityConfig): Pick<KafkaEventLogOptions, 'ssl' | 'sasl'> {
  const { kafkaCaFile, kafkaCertFile, kafkaKeyFile, kafkaSaslMechanism, kafkaUser, kafkaPassword } = config;
  if ((kafkaCertFile === undefined) !== (kafkaKeyFile === undefined)) {
    throw new Error('TIDEMARK_KAFKA_CERT_FILE and TIDEMARK_KAFKA_KEY_FILE go together');
  }
  const files = {
    ...(kafkaCaFile !== undefined && { ca: [read('TIDEMARK_KAFKA_CA_FILE', kafkaCaFile)] }),
    ...(kafkaCertFile !== undefined && { cert: read('TIDEMARK_KAFKA_CERT_FILE', kafkaCertFile) }),
    ...(kafkaKeyFile !== undefined && { key: read('TIDEMARK_KAFKA_KEY_FILE', kafkaKeyFile) }),
  };
  const tls = config.kafkaTls || Object.keys(files).length > 0;
  const login = [kafkaSaslMechanism, kafkaUser, kafkaPassword];
  if (login.some((part) => part !== undefined) && login.includes(undefined)) {
    throw new Error('TIDEMARK_KAFKA_SASL_MECHANISM, TIDEMARK_KAFKA_USER and TIDEMARK_KAFKA_PASSWORD go together');
  }
  if (kafkaSaslMechanism === 'plain' && !tls) {
    throw new Error('TIDEMARK_KAFKA_SASL_MECHANISM=plain sends the password as it is: set TIDEMARK_KAFKA_TLS too');
  }
  return {
    ...(tls && { ssl: Object.keys(files).length > 0 ? files : true }),
    ...(kafkaSaslMechanism !== undefined && {
      sasl: { mechanism: kafkaSaslMechanism, username: kafkaUser ?? '', password: kafkaPassword ?? '' } as const,
    }),
  };
}

function read(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${variable}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
