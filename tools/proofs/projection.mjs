/**
 * The canonical projection of a running Tidemark: what two runs over the same input must share, whatever died on the way
 * and whichever log they ran on. State of each problem, verdicts, evidence, bins, content of the curated topics; without
 * times, revisions, attempts and the numbers of jobs, leases and evaluations. Sorted lines of JSON on standard output.
 *
 *   node tools/proofs/projection.mjs [--url http://127.0.0.1:7400] > projection.ndjson
 */
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const STAGES = ['INGEST', 'NORMALIZE', 'DEDUP', 'EXECUTE', 'SCORE', 'CALIBRATE', 'SELECT'].map(
  (name) => `STAGE_${name}`,
);

export async function projection(url, token) {
  const dump = (topic) => newestPerKey(readTopic(url, topic, token));
  const lines = [];
  const add = (kind, id, fields) => lines.push(JSON.stringify({ kind, id, ...fields }));

  // Which of two exact duplicates came first is a matter of pace. Whether the other was refused at once, or published and
  // then withdrawn, is how it got there and not where it ends: what it left in later stages is no part of the outcome.
  const statuses = [...(await dump('problems.status.v1')).values()];
  const endsAt = new Map();
  for (const { problemId, stage, outcome } of statuses) {
    if (outcome !== 'STAGE_OUTCOME_REJECTED') continue;
    endsAt.set(problemId, Math.min(endsAt.get(problemId) ?? Infinity, STAGES.indexOf(stage)));
  }
  const goesOn = (problemId, stage) => STAGES.indexOf(stage) <= (endsAt.get(problemId) ?? Infinity);
  for (const { problemId, stage, version, outcome, reason = '' } of statuses) {
    if (goesOn(problemId, stage)) add('status', `${problemId} ${stage}`, { version, outcome, reason });
  }
  for (const one of (await dump('problems.withdrawn.v1')).values()) {
    if (endsAt.get(one.problemId) === STAGES.indexOf(one.stage)) continue;
    add('withdrawn', `${one.problemId} ${one.stage}`, {
      version: one.version,
      reason: one.reason,
      back: one.takenBack ?? false,
    });
  }
  for (const one of (await dump('problems.unique.v1')).values()) {
    if (!goesOn(one.problemId, 'STAGE_EXECUTE')) continue;
    add('unique', one.problemId, {
      version: one.version,
      cluster: one.clusterId,
      founder: one.founderId,
      split: one.split,
      size: one.clusterSize,
      equalStatements: one.equalStatements ?? [],
    });
  }
  for (const one of (await dump('problems.verified.v1')).values()) {
    if (!goesOn(one.problemId, 'STAGE_SCORE')) continue;
    add('verified', one.problemId, { version: one.version, suite: one.suiteHash });
  }
  const groups = new Map();
  for await (const { value } of readTopic(url, 'rollouts.graded.v1', token)) {
    // Graded, and counted nowhere: their problem had gone as far as the sandbox before it was refused.
    if (!goesOn(value.group.problemId, 'STAGE_EXECUTE')) continue;
    const verdicts = value.verdicts.map((verdict) => verdict.verdict).join(' ');
    const before = groups.get(value.group.groupId);
    if (before !== undefined && before !== verdicts)
      throw new Error(`group ${value.group.groupId} has two results: ${before} | ${verdicts}`);
    groups.set(value.group.groupId, verdicts);
  }
  // Which limit a program meets first, when it goes over two at about the same time, is the machine's speed of the moment.
  const anyLimit = (verdicts) => verdicts.replace(/VERDICT_(TIME|MEMORY)_LIMIT/g, 'VERDICT_TIME_OR_MEMORY_LIMIT');
  for (const [id, verdicts] of groups) add('group', id, { verdicts: anyLimit(verdicts) });
  const targets = new Set();
  for (const one of (await dump('targets.declared.v1')).values()) targets.add(one.target);
  for (const one of (await dump('difficulty.estimated.v1')).values()) {
    const { target, problemId, version, suiteHash, alpha, beta, attempts, passes, truncated, bin } = one;
    add('difficulty', `${target} ${problemId}`, { version, suiteHash, alpha, beta, attempts, passes, truncated, bin });
  }
  for (const target of targets) {
    for (const one of (await dump(`curated.${target}.v1`)).values()) {
      const { revision, evaluation, publishedAt, change, ...content } = one;
      add('curated', `${target} ${one.problemId}`, content);
    }
  }
  for (const topic of await topicsOf(url, token)) {
    if (!topic.endsWith('.dlq.v1')) continue;
    for await (const { value } of readTopic(url, topic, token))
      add('dead letter', topic, { code: value.errorCode, message: value.errorMessage });
  }
  return lines.sort();
}

async function topicsOf(url, token) {
  const answer = await fetch(`${url}/v1/topics`, token ? { headers: { authorization: `Bearer ${token}` } } : {});
  if (!answer.ok) throw new Error(`topics: ${answer.status} ${await answer.text()}`);
  return (await answer.json()).topics.map((topic) => topic.topic ?? topic.name ?? topic);
}

/** Every record of a topic up to its end. */
export async function* readTopic(url, topic, token) {
  const answer = await fetch(
    `${url}/v1/topics/${topic}`,
    token ? { headers: { authorization: `Bearer ${token}` } } : {},
  );
  if (!answer.ok) throw new Error(`${topic}: ${answer.status} ${await answer.text()}`);
  let rest = '';
  for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop();
    for (const line of parts) if (line !== '') yield JSON.parse(line);
  }
  if (rest !== '') yield JSON.parse(rest);
}

/** The last record of each key, as compaction keeps it. It has to be the newest: else an old one came back. */
async function newestPerKey(records) {
  const last = new Map();
  for await (const { key, value, headers } of records) {
    const revision = BigInt(value ? (value.revision ?? 0) : (headers['tidemark-revision'] ?? 0));
    const highest = last.get(key)?.highest ?? 0n;
    last.set(key, { revision, highest: revision > highest ? revision : highest, value });
  }
  for (const [key, { revision, highest }] of last) {
    if (revision !== highest)
      throw new Error(`${key}: the log ends with revision ${revision}, and ${highest} came before`);
  }
  return new Map([...last].filter(([, one]) => one.value).map(([key, one]) => [key, one.value]));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: { url: { type: 'string', default: 'http://127.0.0.1:7400' }, token: { type: 'string' } },
  });
  for (const line of await projection(values.url, values.token)) console.log(line);
}
