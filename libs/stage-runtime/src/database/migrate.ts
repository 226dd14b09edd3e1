import pg from 'pg';
import type { DataSource } from 'typeorm';

/**
 * Makes the schema and brings its tables up to date. Replicas that start together wait for one another on an advisory
 * lock; it hangs on a connection of its own and falls with it.
 */
export async function migrate(dataSource: DataSource, databaseUrl: string, schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: `tidemark-${schema}-migrations` });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [`tidemark migrations ${schema}`]);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${client.escapeIdentifier(schema)}`);
    await dataSource.runMigrations({ transaction: 'each' });
  } finally {
    await client.end();
  }
}
