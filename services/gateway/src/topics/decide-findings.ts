import type { TopicSettings, TopicSpec } from '@tidemark/event-log';

/** Something about a topic that is not as it should be, and what to do. */
export interface Finding {
  readonly topic: string;
  /** Stable. */
  readonly code: string;
  readonly what: string;
  readonly do: string;
}

/** Compares a topic with what it should be. Its number of partitions is free: it was chosen when it was created. */
export function decideFindings(spec: TopicSpec, there: TopicSettings | undefined): Finding[] {
  const finding = (code: string, what: string, todo: string): Finding => ({ topic: spec.name, code, what, do: todo });
  if (there === undefined) return [finding('missing', 'It is not there.', 'tidemark topics create')];
  const findings: Finding[] = [];
  if (there.cleanup !== spec.cleanup) {
    const todo = `Set cleanup.policy=${spec.cleanup}; a topic that was never compacted has only to be compacted once.`;
    findings.push(finding('cleanup', `Its clean-up is ${there.cleanup}, not ${spec.cleanup}.`, todo));
  }
  if (there.retentionMs < spec.retentionMs && there.retentionMs >= 0) {
    const name = spec.cleanup === 'compact' ? 'delete.retention.ms' : 'retention.ms';
    const what = `It keeps ${spec.cleanup === 'compact' ? 'tombstones' : 'records'} for ${there.retentionMs} ms.`;
    findings.push(
      finding('retention', what, `Set ${name}=${spec.retentionMs}, or readers that were away lose records.`),
    );
  }
  if (there.logAppendTime !== spec.logAppendTime) {
    const type = spec.logAppendTime ? 'LogAppendTime' : 'CreateTime';
    findings.push(finding('timestamps', 'Its records have the wrong time.', `Set message.timestamp.type=${type}.`));
  }
  const further = there.further;
  const inSync = Number(further['replicas in sync']);
  const least = Number(further['min.insync.replicas']);
  if (inSync < least) {
    const what = `A partition has ${inSync} replicas in sync, and ${least} must have a record: nothing can be written.`;
    findings.push(finding('under_replicated', what, 'Bring the missing brokers back.'));
  }
  if (further['unclean.leader.election.enable'] === 'true') {
    const what = 'A replica that lags may become leader, and records that were acknowledged are lost.';
    findings.push(finding('unclean_election', what, 'Set unclean.leader.election.enable=false.'));
  }
  return findings;
}
