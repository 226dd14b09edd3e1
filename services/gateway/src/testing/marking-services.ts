import { setTimeout as sleep } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import type { BlobStore } from '@tidemark/blob-store';
import { type ServiceName, serviceNames, topics } from '@tidemark/event-log';
import { CommandCompletedSchema, CommandOutcome } from '@tidemark/proto';
import { ordersSpec } from '@tidemark/stage-runtime';
import type { StageHarness } from '@tidemark/stage-runtime/testing';

/** The other services, as far as they say which blobs their tables name. */
export class MarkingServices {
  /** What each names. */
  readonly named = new Map<ServiceName, readonly string[]>();
  /** Those that do not answer. */
  readonly away = new Set<ServiceName>();
  /** Those that can't. */
  readonly failing = new Set<ServiceName>();
  private readonly end = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly harness: StageHarness,
    private readonly blobs: BlobStore,
  ) {}

  async start(): Promise<void> {
    await this.harness.log.admin.ensureTopics(serviceNames.map((service) => ordersSpec(service)));
    this.running = this.answer();
  }

  async stop(): Promise<void> {
    this.end.abort();
    await this.running;
  }

  private async answer(): Promise<void> {
    const answered = new Set<string>();
    while (!this.end.signal.aborted) {
      const rows = await this.harness
        .query<{ command_id: string; service: ServiceName }>(
          `SELECT command_id, service FROM command WHERE kind = 'mark_blobs' AND outcome = 0 AND service <> 'gateway'`,
        )
        // The service may be down just now.
        .catch(() => []);
      for (const { command_id: commandId, service } of rows) {
        if (answered.has(commandId) || this.away.has(service)) continue;
        answered.add(commandId);
        const marks = await this.blobs.put(Buffer.from((this.named.get(service) ?? []).join('\n')));
        const outcome = this.failing.has(service) ? CommandOutcome.FAILED : CommandOutcome.DONE;
        const completed = create(CommandCompletedSchema, { commandId, service, outcome, results: { marks } });
        await this.harness.publish(topics.commandsCompleted, completed);
      }
      await sleep(50);
    }
  }
}
