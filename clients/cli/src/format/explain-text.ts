import type { Json } from '../gateway-client.ts';
import { reasonInWords, stateInWords } from './reasons.ts';
import { nameOf } from './problem-name.ts';
import { plural, show, tableLines } from './table.ts';

/** The story of a problem for people: where it stands first, then how it came there, then what it is for each target. */
export function explainText(story: Json): string[] {
  const state = String(story.state);
  return [
    `${nameOf(story) || 'Untitled'} (${show(story.problem_id)}, version ${show(story.version)})`,
    stateLine(story, state),
    ...incomingLines(story.incoming),
    ...originLines(story),
    '',
    ...stageLines(objects(story.stages)),
    ...noteLines(story),
    ...objects(story.targets).flatMap((target) => ['', ...targetLines(target)]),
  ];
}

function stateLine(story: Json, state: string): string {
  if (state === 'ready') return story.held_out === true ? 'Ready, held out for evaluation.' : 'Ready for training.';
  const reason = reasonInWords(state, show(story.reason));
  const word = stateInWords(state);
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}${state === 'waiting' ? waitingFor(story.reason) : ` by ${show(story.stage)}:`} ${reason}.`;
}

/** A stage is waited for by name; other reasons say themselves what is missing. */
const waitingFor = (reason: unknown): string => (show(reason).startsWith('stage:') ? ' for' : ':');

function incomingLines(incoming: unknown): string[] {
  if (typeof incoming !== 'object' || incoming === null) return [];
  const { version, kind, reason } = incoming as Json;
  return [
    `Version ${show(version)} is on its way (${show(kind).replace('_', ' ')}: ${reasonInWords('waiting', show(reason))}); until then this one holds.`,
  ];
}

function originLines({ origin, submitter, source_file, source_record }: Json): string[] {
  const from = typeof origin === 'object' && origin !== null ? (origin as Json) : undefined;
  const source = [show(from?.namespace), show(from?.record_id)].filter((part) => part !== '').join(' ');
  const facts = [show(from?.kind), show(from?.licence), show(from?.url)].filter(
    (part) => part !== '' && part !== 'unspecified',
  );
  const file = show(source_file) === '' ? '' : `, ${show(source_file)} line ${show(source_record)}`;
  return [
    ...(source === '' ? [] : [`From ${source}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}.`]),
    ...(show(submitter) === '' ? [] : [`Offered by ${show(submitter)}${file}.`]),
  ];
}

function stageLines(stages: readonly Json[]): string[] {
  const rows = stages.flatMap((stage) => [
    [show(stage.stage), `v${show(stage.version)}`, outcomeText(stage), show(stage.message)],
    ...objects(stage.evidence).map((evidence) => ['', '', '', evidenceText(evidence)]),
  ]);
  return tableLines(
    ['stage', 'version', 'outcome', 'why'].map((heading) => ({ heading })),
    rows,
  );
}

const outcomeText = ({ outcome, reason }: Json): string =>
  show(reason) === '' ? show(outcome) : `${show(outcome).replace('_', ' ')}: ${show(reason).replaceAll('_', ' ')}`;

/** What is wrong with a field, or was done to it: the text begins with its verb. */
const FAULTS: ReadonlySet<string> = new Set([
  ...['invalid_utf8', 'invalid_json', 'duplicate_key', 'too_deep', 'too_large', 'bad_character', 'unknown_format'],
  ...['missing_field', 'wrong_type', 'bad_value', 'contradiction', 'unknown_field', 'repaired_character'],
]);

function evidenceText({ kind, text, subject_id, value }: Json): string {
  const subject = show(subject_id) === '' ? '' : ` ${show(subject_id)}`;
  const measure =
    value === undefined ? '' : ` (${Number(value).toLocaleString('en-US', { maximumFractionDigits: 3 })})`;
  const [first = '', ...more] = show(text).split('\n');
  if (FAULTS.has(show(kind))) return `- ${subject.trimStart() || 'the record'} ${first}`;
  // A whole script is no assertion: which of its lines failed is not known.
  if (kind === 'failing_assertion' && more.length > 0) return `- failing test: ${first} …`;
  return `- ${show(kind).replaceAll('_', ' ')}${subject}${measure}${first === '' ? '' : `: ${first}`}`;
}

/** What the outputs of the stages say. */
function noteLines(story: Json): string[] {
  const lines: string[] = [];
  for (const withdrawal of objects(story.withdrawals)) {
    const verb = withdrawal.taken_back === true ? 'took its withdrawal back' : 'withdraws it';
    const successor = show(withdrawal.successor_id) === '' ? '' : `, in favour of ${show(withdrawal.successor_id)}`;
    lines.push(`${show(withdrawal.stage)} ${verb}: ${show(withdrawal.reason).replaceAll('_', ' ')}${successor}.`);
  }
  for (const letter of objects(story.dead_letters)) {
    lines.push(
      `${show(letter.service)} laid a record aside (${show(letter.error_code)}): ${show(letter.error_message)}`,
    );
  }
  const cluster = object(story.cluster);
  if (cluster !== undefined) {
    lines.push(
      `Cluster ${show(cluster.cluster_id)} of ${plural(Number(cluster.cluster_size), 'problem')}, side ${show(cluster.split).replace('_', ' ')}.`,
    );
  }
  const verified = object(story.verified);
  if (verified !== undefined) {
    lines.push(
      `Judged by suite ${show(verified.suite_hash).slice(0, 12)} of ${plural(Number(verified.test_count), 'test')}.`,
    );
    if (verified.shares_process === true)
      lines.push('The tests run in the program’s own process: a program that sets out to can forge a pass.');
  }
  const score = object(story.score);
  if (score !== undefined) {
    const predictor = object(score.predictor);
    lines.push(`Predicted difficulty ${Number(score.score).toFixed(2)} of 5, by ${show(predictor?.name)}.`);
  }
  return lines.length === 0 ? [] : ['', ...lines];
}

function targetLines(target: Json): string[] {
  const difficulty = object(target.difficulty);
  const moves = objects(target.moves).map(
    (move) =>
      `  evaluation ${show(move.evaluation)}: ${show(move.from)} to ${show(move.to)} (${show(move.reason).replaceAll('_', ' ')})`,
  );
  return [
    `target ${show(target.target)}: ${show(target.why)}`,
    ...(difficulty === undefined ? [] : [`  ${difficultyText(difficulty)}`]),
    ...objects(target.evidence).map((evidence) => `  ${evidenceCounts(evidence)}`),
    ...moves,
    ...objects(target.groups).map(
      (group) =>
        `  group ${show(group.group_id)} at ${show(group.checkpoint)}, ${show(group.purpose)}: ${verdictCounts(group.verdicts)}`,
    ),
  ];
}

function difficultyText({ bin, mean, interval, attempts, passes, evaluation }: Json): string {
  const range = object(interval);
  const limits = range === undefined ? '' : ` (${Number(range.low).toFixed(2)} to ${Number(range.high).toFixed(2)})`;
  return `${show(bin)}: pass rate ${Number(mean).toFixed(2)}${limits} from ${show(passes)} of ${plural(Number(attempts), 'attempt')}, evaluation ${show(evaluation)}`;
}

function evidenceCounts({ checkpoint, purpose, verdicts }: Json): string {
  const counts = Object.entries(object(verdicts) ?? {}).map(
    ([verdict, n]) => `${show(n)} ${verdict.replaceAll('_', ' ')}`,
  );
  return `evidence at ${show(checkpoint)}, ${show(purpose)}: ${counts.join(', ')}`;
}

function verdictCounts(verdicts: unknown): string {
  const list = Array.isArray(verdicts) ? verdicts.map(String) : [];
  const counts = Map.groupBy(list, (verdict) => verdict);
  return [...counts].map(([verdict, same]) => `${same.length} ${verdict.replaceAll('_', ' ')}`).join(', ');
}

const objects = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const object = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null ? (value as Json) : undefined;
