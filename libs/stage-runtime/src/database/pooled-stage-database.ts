import type { StageTransaction } from '../api.ts';
import { StageDatabase, type TransactionOptions } from '../injectables.ts';
import { StageWork, type WorkParts } from '../stage-work.ts';
import type { Transactions } from './transactions.ts';

/** {@link StageDatabase} on the service's pool. */
export class PooledStageDatabase extends StageDatabase {
  constructor(
    private readonly transactions: Transactions,
    private readonly parts: WorkParts,
  ) {
    super();
  }

  query<Row = Record<string, unknown>>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    return this.transactions.query<Row>(sql, parameters);
  }

  async transaction<T>(
    handler: string,
    work: (tx: StageTransaction) => Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    const name = `${this.parts.identity.service}/${handler}`;
    return await this.transactions.run(
      name,
      async (open) => {
        const tx = new StageWork(open, this.parts, name);
        const result = await work(tx);
        await tx.finish();
        return result;
      },
      options.isolation,
    );
  }
}
