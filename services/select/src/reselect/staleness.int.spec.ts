import { create } from '@bufbuild/protobuf';
import { topics } from '@tidemark/event-log';
import { ProblemVerifiedSchema, Split, TargetDeclaredSchema } from '@tidemark/proto';
import { Scrape, type StageHarness, startStage } from '@tidemark/stage-runtime/testing';
import { afterEach, expect, it } from 'vitest';
import { selectService } from '../index.ts';

const PATIENCE = { timeout: 15_000 };
let stage: StageHarness;
afterEach(() => stage.stop());

it('a change that no curated topic shows yet grows old until the working set is chosen anew', async () => {
  stage = await startStage(selectService, { http: true, config: { grpcPort: '0' } });
  const staleness = async () =>
    (await Scrape.of(stage.service.address)).value('tidemark_curated_staleness_seconds', { target: 'm' });
  await stage.publish(topics.targetsDeclared, create(TargetDeclaredSchema, { target: 'm', version: 1, groupSize: 8 }));
  await stage.untilQuiet();
  expect(await staleness()).toBe(0);

  // As if another replica owned the target, and slept.
  await stage.query(
    `INSERT INTO leases (name, owner, address, epoch, expires_at)
     VALUES ('target/m', 'another', '', 1, now() + interval '1 hour')
     ON CONFLICT (name) DO UPDATE SET owner = 'another', epoch = leases.epoch + 1, expires_at = excluded.expires_at`,
  );
  await new Promise((resolve) => setTimeout(resolve, 1_600));
  const verified = create(ProblemVerifiedSchema, { problemId: 'a', version: 1, suiteHash: 's', split: Split.TRAIN });
  await stage.publish(topics.problemsVerified, verified);
  await expect.poll(staleness, PATIENCE).toBeGreaterThan(0.5);
  await stage.query("UPDATE leases SET expires_at = now() - interval '1 s' WHERE name = 'target/m'");
  await stage.untilQuiet();
  expect(await staleness()).toBe(0);
});
