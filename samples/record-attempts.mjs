#!/usr/bin/env node
/**
 * Records attempts of a model at this sample's problems, as Tidemark rollouts.
 *
 *   node samples/record-attempts.mjs --endpoint http://127.0.0.1:8000/v1 --model my-model \
 *     --target my-model --checkpoint step-0 --out my-model.rollouts.jsonl \
 *     humaneval.jsonl:tidemark-sample-humaneval mbpp.jsonl:tidemark-sample-mbpp tidemark.jsonl:tidemark-sample
 *
 * Any OpenAI-compatible endpoint with /chat/completions will do. The model sees the statement and nothing else.
 * Each group is appended as soon as it is complete, and groups that the file already holds are not asked for again,
 * so that an interrupted recording goes on where it stopped. The settings are written beside the recording.
 *
 * An endpoint may give fewer choices than asked for, or more: what arrives is counted, and the rest is asked for again.
 * A number of refusals in a row (429 and 5xx are waited for) ends the recording with code 1.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    endpoint: { type: 'string' },
    model: { type: 'string' },
    target: { type: 'string' },
    checkpoint: { type: 'string' },
    out: { type: 'string' },
    template: {
      type: 'string',
      default:
        'Solve this problem in Python. Answer with one Python code block that holds the whole solution.\n\n{{statement}}',
    },
    groups: { type: 'string', default: '2' },
    'group-size': { type: 'string', default: '8' },
    temperature: { type: 'string', default: '0.8' },
    'top-p': { type: 'string', default: '0.95' },
    'max-tokens': { type: 'string', default: '320' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    'token-env': { type: 'string', default: 'TIDEMARK_ENDPOINT_TOKEN' },
    note: { type: 'string' },
  },
});
for (const name of ['endpoint', 'model', 'target', 'checkpoint', 'out']) {
  if (!options[name]) {
    console.error(`--${name} is missing`);
    process.exit(2);
  }
}
const token = process.env[options['token-env']];
const groupSize = Number(options['group-size']);
const sampling = {
  temperature: Number(options.temperature),
  top_p: Number(options['top-p']),
  max_tokens: Number(options['max-tokens']),
};

/** What the model is shown of a record: HumanEval's prompt, MBPP's text, or the statement. Never tests or solutions. */
const statementOf = (record) => record.prompt ?? record.text ?? record.statement;

const problems = positionals.flatMap((argument) => {
  const colon = argument.lastIndexOf(':');
  const [file, namespace] = [argument.slice(0, colon), argument.slice(colon + 1)];
  const path = existsSync(file) ? file : resolve(here, file);
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line))
    .map((record) => ({ namespace, id: String(record.task_id ?? record.id), statement: statementOf(record) }));
});
const wanted = options.only ? new Set(options.only.split(',')) : undefined;
const chosen = problems.filter((problem) => !wanted || wanted.has(problem.id));

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Asks once for `count` choices. Waits and repeats on 429, 5xx and network errors, at most ten times in a row. */
async function ask(prompt, count, seed) {
  for (let refusal = 0; ; refusal += 1) {
    try {
      const response = await fetch(`${options.endpoint.replace(/\/$/, '')}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
        body: JSON.stringify({
          model: options.model,
          messages: [{ role: 'user', content: prompt }],
          n: count,
          seed,
          ...sampling,
        }),
        signal: AbortSignal.timeout(300_000),
      });
      if (response.ok) return await response.json();
      if (response.status !== 429 && response.status < 500) {
        throw Object.assign(new Error(`the endpoint answers ${response.status}`), { final: true });
      }
      if (refusal >= 9) throw new Error(`the endpoint answers ${response.status} again and again`);
      await sleep(1000 * (Number(response.headers.get('retry-after')) || 2 ** Math.min(refusal, 5)));
    } catch (error) {
      if (error.final || refusal >= 9) throw error;
      await sleep(1000 * 2 ** Math.min(refusal, 5));
    }
  }
}

async function recordGroup(problem, number) {
  const prompt = options.template.replace('{{statement}}', () => problem.statement);
  const attempts = [];
  for (let request = 0; attempts.length < groupSize; request += 1) {
    const key = `${options.seed} ${problem.namespace} ${problem.id} ${number} ${request}`;
    const seed = createHash('sha256').update(key).digest().readUInt32BE(0) >>> 1;
    const answer = await ask(prompt, groupSize - attempts.length, seed);
    const choices = (answer.choices ?? []).filter((choice) => typeof choice.message?.content === 'string');
    if (choices.length === 0) throw new Error('an answer without choices');
    for (const choice of choices.slice(0, groupSize - attempts.length)) {
      attempts.push({
        output: choice.message.content,
        // With several choices an endpoint's counts and its seed don't belong to one of them.
        ...(choices.length === 1 && answer.usage
          ? { prompt_tokens: answer.usage.prompt_tokens, output_tokens: answer.usage.completion_tokens, seed }
          : {}),
        ...(choice.finish_reason === 'length' ? { truncated: true } : {}),
      });
    }
  }
  return {
    format: 'tidemark.rollouts.v1',
    group: `${options.target}/${options.checkpoint}/${problem.id}/${number}`,
    target: options.target,
    checkpoint: options.checkpoint,
    namespace: problem.namespace,
    id: problem.id,
    purpose: 'train',
    prompt_sha256: createHash('sha256').update(prompt).digest('hex'),
    attempts,
  };
}

const out = resolve(options.out);
const held = new Set(
  existsSync(out)
    ? readFileSync(out, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line).group)
    : [],
);
writeFileSync(
  out.replace(/(\.rollouts)?\.jsonl$/, '') + '.settings.json',
  `${JSON.stringify(
    {
      model: options.model,
      note: options.note,
      target: options.target,
      checkpoint: options.checkpoint,
      promptTemplate: options.template,
      groupSize,
      groups: Number(options.groups),
      sampling,
      seed: `first 31 bits of sha256("${options.seed} <namespace> <id> <group> <request>")`,
      recordedBy: 'samples/record-attempts.mjs',
    },
    null,
    2,
  )}\n`,
);
for (let number = 1; number <= Number(options.groups); number += 1) {
  for (const problem of chosen) {
    if (held.has(`${options.target}/${options.checkpoint}/${problem.id}/${number}`)) continue;
    const group = await recordGroup(problem, number);
    appendFileSync(out, `${JSON.stringify(group)}\n`);
    console.error(`${basename(out)}: ${group.group}, ${group.attempts.length} attempts`);
  }
}
