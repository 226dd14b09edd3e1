import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { topics } from '@tidemark/event-log';
import { StopReason } from '@tidemark/proto';
import { startStage } from '@tidemark/stage-runtime/testing';
import { describe, expect, it } from 'vitest';
import { sampleService } from '../index.ts';
import { aProblem, aRequest, aTarget } from '../testing/events.ts';

/** Base address of a running OpenAI-compatible server, for example `http://127.0.0.1:8000/v1`. */
const address = process.env.TIDEMARK_TEST_ENDPOINT;
const model = process.env.TIDEMARK_TEST_ENDPOINT_MODEL ?? 'model';
if (address === undefined) {
  process.stderr.write('sample: no real endpoint was asked; TIDEMARK_TEST_ENDPOINT names one\n');
}

interface HumanEvalRecord {
  readonly task_id: string;
  readonly prompt: string;
}

describe.skipIf(address === undefined)('asking a real model', () => {
  it('brings every attempt that was wanted', { timeout: 600_000 }, async () => {
    const file = fileURLToPath(new URL('../../../../samples/humaneval.jsonl', import.meta.url));
    const records = readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, 3)
      .map((line) => JSON.parse(line) as HumanEvalRecord);
    const stage = await startStage(sampleService);
    try {
      await stage.publish(
        topics.targetsDeclared,
        aTarget('real', address ?? '', {
          endpointModel: model,
          promptTemplate: '',
          sampling: { temperature: 0.8, topP: 0.95, maxTokens: 96, stopSequences: [] },
        }),
      );
      for (const { task_id, prompt } of records) {
        await stage.publish(topics.problemsVerified, aProblem(task_id, prompt, prompt));
        await stage.publish(topics.rolloutsRequested, aRequest(`request ${task_id}`, 'real', task_id));
      }
      await stage.untilQuiet(590_000);

      const groups = (await stage.published(topics.rolloutsSubmitted)).flatMap(({ value }) => (value ? [value] : []));
      expect(groups.map(({ group }) => group?.problemId).sort()).toEqual(records.map(({ task_id }) => task_id).sort());
      for (const { group, attempts } of groups) {
        expect(attempts).toHaveLength(8);
        const truncated = attempts.filter(({ stopReason }) => stopReason === StopReason.LENGTH).length;
        const tokens = attempts.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
        const distinct = new Set(attempts.map(({ output }) => output?.sha256)).size;
        process.stdout.write(
          `${group?.problemId}: 8 attempts, ${distinct} distinct, ${truncated} truncated, ${tokens} output tokens counted\n`,
        );
      }
    } finally {
      await stage.stop();
    }
  });
});
