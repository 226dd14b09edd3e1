/** What a process of the chaos suite is told. */
export interface ChaosTask {
  readonly role: 'relay' | 'consumer';
  readonly databaseUrl: string;
  /** Kafka's; without them the embedded log in the database. */
  readonly brokers?: readonly string[];
  readonly topic: string;
  readonly group: string;
  readonly writer: string;
  readonly sessionTimeoutMs: number;
}

export const chaosTables = /* sql */ `
CREATE TABLE outbox (id bigint PRIMARY KEY, key text NOT NULL);
CREATE TABLE next_offsets (partition int PRIMARY KEY, next bigint NOT NULL);
CREATE TABLE applied (partition int, "offset" bigint, id bigint NOT NULL, process int NOT NULL,
  PRIMARY KEY (partition, "offset"));
`;
