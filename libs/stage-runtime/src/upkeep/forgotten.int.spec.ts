import { create } from '@bufbuild/protobuf';
import { ordersTopic, topics } from '@tidemark/event-log';
import { ForgetStep, type MoveOffsets, ServiceOrderSchema } from '@tidemark/proto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { echoStage, raw } from '../testing/echo-stage.ts';
import { type StageHarness, startStage } from '../testing/index.ts';

const ID = '0123456789abcdef0123456789abcdef';
const OTHER = 'fedcba9876543210fedcba9876543210';
let stage: StageHarness;
let orders = 0;
beforeEach(async () => {
  stage = await startStage(echoStage);
});
afterEach(() => stage.stop());

async function order(value: Parameters<typeof create<typeof ServiceOrderSchema>>[1]): Promise<Record<string, string>> {
  const commandId = `order-${++orders}`;
  await stage.publish(ordersTopic('normalize'), create(ServiceOrderSchema, { ...value, commandId }));
  await stage.untilQuiet();
  const answers = await stage.published(topics.commandsCompleted);
  return answers.find(({ value: answer }) => answer?.commandId === commandId)?.value?.results ?? {};
}
const forget = (step: ForgetStep) => order({ order: { case: 'forget', value: { problemId: ID, step, words: [] } } });
const echoed = async () =>
  (await stage.query<{ problem_id: string }>('SELECT problem_id FROM echoed ORDER BY 1')).map((row) => row.problem_id);
const offer = async (id: string, revision: bigint) => {
  await stage.publish(topics.problemsRaw, raw(id, 1, revision));
  await stage.untilQuiet();
};
const said = async () =>
  (await stage.published(topics.problemsNormalized))
    .filter(({ key }) => key === ID)
    .map(
      ({ value, headers }) =>
        value?.revision ?? `gone at ${Buffer.from(headers['tidemark-revision'] ?? []).toString()}`,
    );

describe('a service that was told to forget a problem', () => {
  it('erases it, lets nothing of it in that is old, and takes for new what comes afterwards', async () => {
    await offer(ID, 1n);
    await offer(OTHER, 1n);
    expect(await forget(ForgetStep.ERASE)).toMatchObject({ 'erased echoed': '1' });
    expect(await echoed()).toEqual([OTHER]);
    expect(await said()).toEqual([1n, 'gone at 2']);

    // On its way while the others still erase.
    await offer(ID, 2n);
    expect(await echoed()).toEqual([OTHER]);
    const found = await forget(ForgetStep.SEARCH);
    expect(Object.keys(found).filter((name) => name.startsWith('found '))).toEqual([]);
    expect(Number(found.tables)).toBeGreaterThan(5);

    const value = { topic: topics.problemsRaw.name, to: { case: 'start', value: true } } as unknown as MoveOffsets;
    await order({ order: { case: 'moveOffsets', value } });
    expect(await echoed()).toEqual([OTHER]);
    const tables = await stage.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`,
    );
    for (const { name } of tables) {
      const hex = Buffer.from(ID).toString('hex');
      const sql = `SELECT 1 FROM "${name}" r WHERE position($1 IN r::text) > 0 OR position($2 IN r::text) > 0`;
      expect([name, await stage.query(sql, [ID, hex])]).toEqual([name, []]);
    }

    await offer(ID, 1n);
    expect(await echoed()).toEqual([ID, OTHER]);
    // Above the tombstone: a reader that meets both takes the record for the newer one.
    expect(await said()).toEqual([1n, 'gone at 2', 3n]);
    await offer(ID, 2n);
    expect((await said()).at(-1)).toBe(4n);
  });
});
