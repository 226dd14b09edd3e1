import { create } from '@bufbuild/protobuf';
import { topics } from '@tidemark/event-log';
import { TargetDeclaredSchema } from '@tidemark/proto';
import { Scrape, type StageHarness, startStage } from '@tidemark/stage-runtime/testing';
import { afterEach, expect, it } from 'vitest';
import { calibrateService } from '../index.ts';

let stage: StageHarness;
afterEach(() => stage.stop());

it('evidence that no evaluation has seen grows old', async () => {
  const config = { evaluateAfterGroups: '0', evaluateAfterSeconds: '0' };
  stage = await startStage(calibrateService, { http: true, config });
  const age = async (target: string) =>
    (await Scrape.of(stage.service.address)).value('tidemark_evidence_unevaluated_age_seconds', { target });
  for (const target of ['m', 'n']) {
    await stage.publish(topics.targetsDeclared, create(TargetDeclaredSchema, { target, version: 1, groupSize: 8 }));
  }
  await stage.untilQuiet();
  expect(await age('m')).toBe(0);
  await stage.query(
    `INSERT INTO problem_version (problem_id, version, held_out) VALUES ('p', 1, false), ('q', 1, false)`,
  );
  await stage.query(
    `INSERT INTO unevaluated (target, problem_id, counted_groups, evidence_groups, noted_at)
     VALUES ('m', 'p', 1, 1, now() - interval '90 s'), ('m', 'q', 1, 1, now()),
            ('n', 'of-unknown-side', 1, 1, now() - interval '90 s')`,
  );
  expect(await age('m')).toBeGreaterThanOrEqual(90);
  expect(await age('n')).toBe(0);
});
