/**
 * What must hold once a system that was harmed is quiet again, read from outside: from its topics, its gateway, its
 * database and the machine. Each check returns what it found wrong; empty when the invariant holds.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readTopic } from '../proofs/projection.mjs';
import { isInjected } from './records.mjs';

const QUIET_MS = 120_000;
const recountScript = resolve(import.meta.dirname, '../proofs/recount.py');

/** I1: every record that was offered is one problem in exactly one final state. */
export async function everyIdInOneState(url, records) {
  const problems = [];
  for (let cursor; ; ) {
    const query = new URLSearchParams({ limit: '1000', ...(cursor && { cursor }) });
    const page = await (await fetch(`${url}/v1/problems?${query}`)).json();
    problems.push(...page.problems);
    cursor = page.next;
    if (!cursor) break;
  }
  const faults = [];
  const ids = new Set(problems.map(({ problem_id }) => problem_id));
  if (ids.size !== problems.length) faults.push(`${problems.length - ids.size} problems are listed twice`);
  if (ids.size !== records) faults.push(`${records} records were offered, ${ids.size} problems are known`);
  for (const { problem_id, state } of problems) {
    if (!['ready', 'rejected', 'withdrawn', 'dead_lettered'].includes(state))
      faults.push(`${problem_id} is still ${state}`);
  }
  return faults;
}

/** I2: one effective result a stage, problem version and suite; and one a group. */
export async function oneEffectiveResult(url, groups) {
  const faults = [];
  const suites = new Map();
  for await (const { value } of readTopic(url, 'problems.verified.v1')) {
    if (!value) continue;
    const key = `${value.problemId} version ${value.version}`;
    const before = suites.get(key);
    if (before !== undefined && before !== value.suiteHash) faults.push(`${key} was verified with two suites`);
    suites.set(key, value.suiteHash);
  }
  const verdicts = new Map();
  for await (const { value } of readTopic(url, 'rollouts.graded.v1')) {
    const result = value.verdicts.map(({ verdict }) => verdict).join(' ');
    const before = verdicts.get(value.group.groupId);
    if (before !== undefined && before !== result) faults.push(`group ${value.group.groupId} has two results`);
    verdicts.set(value.group.groupId, result);
  }
  if (verdicts.size !== groups) faults.push(`${groups} groups were submitted, ${verdicts.size} are graded`);
  return faults;
}

/** I3: counts, posteriors and bins equal those of an independent recount. */
export async function countsEqualRecount(url, folder) {
  const files = [];
  const { topics } = await (await fetch(`${url}/v1/topics`)).json();
  for (const one of topics) {
    const topic = one.topic ?? one.name ?? one;
    if (/^(problems\.(raw|normalized)|.*intake|curated|.*dlq)/.test(topic)) continue;
    const lines = [];
    for await (const record of readTopic(url, topic)) lines.push(JSON.stringify(record));
    const file = join(folder, `${topic}.ndjson`);
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
    files.push(file);
  }
  const recount = spawnSync('python3', [recountScript, ...files], { encoding: 'utf8' });
  return recount.status === 0 ? [] : [`recount: ${`${recount.stdout}${recount.stderr}`.trim().slice(-2_000)}`];
}

/** I4: on no compacted topic does a key go back to a lower revision. */
export async function noBackwardMoves(url) {
  const faults = [];
  const { topics } = await (await fetch(`${url}/v1/topics`)).json();
  for (const one of topics) {
    const topic = one.topic ?? one.name ?? one;
    const newest = new Map();
    for await (const record of readTopic(url, topic)) {
      if (isInjected(record)) continue;
      const { key, value, headers } = record;
      const revision = BigInt(value ? (value.revision ?? 0) : (headers['tidemark-revision'] ?? 0));
      if (revision === 0n) continue;
      const before = newest.get(key) ?? 0n;
      if (revision < before) faults.push(`${topic} ${key}: revision ${revision} after ${before}`);
      newest.set(key, revision > before ? revision : before);
    }
  }
  return faults;
}

/** I5: outboxes empty, lag 0, no open job, every dead letter with a reason. */
export async function nothingLeftUnderWay(system, expectedLetters = 0) {
  const { url } = system;
  const faults = [];
  // Quiet it was before anybody read its topics; on a machine with much to do a service may be late to say so again.
  await system.untilQuiet(QUIET_MS).catch((error) => faults.push(error.message));
  for (const { schema, name } of await system.ask(
    `SELECT table_schema AS schema, table_name AS name FROM information_schema.tables WHERE table_name IN ('outbox', 'jobs')`,
  )) {
    const [{ rows }] = await system.ask(`SELECT count(*) AS rows FROM "${schema}"."${name}"`);
    if (rows !== '0') faults.push(`${rows} rows are left in ${schema}.${name}`);
  }
  const { topics } = await (await fetch(`${url}/v1/topics`)).json();
  let letters = 0;
  for (const one of topics) {
    const topic = one.topic ?? one.name ?? one;
    if (!topic.endsWith('.dlq.v1')) continue;
    for await (const { value } of readTopic(url, topic)) {
      letters++;
      if (!value.errorCode || !value.errorMessage) faults.push(`${topic}: a letter without a reason`);
    }
  }
  if (letters !== expectedLetters) faults.push(`${letters} dead letters, ${expectedLetters} were to be expected`);
  return faults;
}

/** I6: no process, mount, control group or file of a sandbox is left of the processes that judged. Asked when nothing runs any more. */
export function nothingLeftOfSandboxes(folder, pids) {
  const faults = [];
  const processes = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' }).split('\n');
  for (const line of processes)
    if (line.includes(folder) && /bwrap|python3/.test(line)) faults.push(`process ${line.trim()}`);
  const mounts = execFileSync('cat', ['/proc/mounts'], { encoding: 'utf8' }).split('\n');
  for (const line of mounts) if (line.includes(folder)) faults.push(`mount ${line}`);
  for (const root of ['/sys/fs/cgroup', '/sys/fs/cgroup/memory', '/sys/fs/cgroup/pids', '/sys/fs/cgroup/cpuacct']) {
    if (!existsSync(root)) continue;
    for (const name of readdirSync(root)) {
      // Groups are named after the process that made them.
      if (pids.some((pid) => new RegExp(`^tidemark-[a-z]+-${pid}\\b`).test(name)))
        faults.push(`control group ${root}/${name}`);
    }
  }
  return faults;
}
