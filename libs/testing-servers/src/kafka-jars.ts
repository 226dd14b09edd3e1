import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KAFKA_VERSION, KafkaUnavailableError } from './kafka-broker.ts';

/**
 * The folder of the broker's jars, fetched by Maven the first time (54 MB) and kept in `.tidemark/`.
 * @throws {KafkaUnavailableError} when Java or Maven is missing, or the fetch fails
 */
export function kafkaJars(): string {
  requireProgram('java', '-version', 'Java 17 or newer');
  const root = repositoryRoot();
  const folder = join(root, '.tidemark', `kafka-${KAFKA_VERSION}`);
  if (existsSync(folder)) return folder;
  requireProgram('mvn', '-version', 'Maven, to fetch the jars of Apache Kafka');
  process.stderr.write(`tidemark tests: fetching Apache Kafka ${KAFKA_VERSION} by Maven (54 MB, once)\n`);
  mkdirSync(dirname(folder), { recursive: true });
  const making = mkdtempSync(`${folder}-`);
  try {
    const pom = join(root, 'tools', 'kafka', 'pom.xml');
    const flags = [`-DoutputDirectory=${making}`, `-Dkafka.version=${KAFKA_VERSION}`];
    const fetched = spawnSync('mvn', ['-B', '-q', '-f', pom, 'dependency:copy-dependencies', ...flags], {
      encoding: 'utf8',
    });
    if (fetched.status !== 0) {
      throw new KafkaUnavailableError(
        `Maven could not fetch Apache Kafka ${KAFKA_VERSION}: ${`${fetched.stdout}${fetched.stderr}`.trim().slice(-2_000)}`,
      );
    }
    if (!existsSync(folder)) renameSync(making, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}

function requireProgram(program: string, flag: string, what: string): void {
  if (spawnSync(program, [flag], { stdio: 'ignore' }).status !== 0) {
    throw new KafkaUnavailableError(`No Docker engine answers, and ${program} does not run here (needed: ${what}).`);
  }
}

function repositoryRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'nx.json'))) return folder;
  }
  throw new KafkaUnavailableError('Not inside the repository: tools/kafka/pom.xml was not found.');
}
