import type { Status, StatusService, StatusTarget } from '../status.ts';
import { missingText } from './remarks.ts';
import { reasonInWords, stateInWords } from './reasons.ts';
import { bar, count, plural, tableLines } from './table.ts';

const BAR = 24;
const BINS = ['unsolved', 'hard', 'medium', 'easy', 'mastered'];
/** From what is on its way to where it ends. */
const STATES = ['waiting', 'rejected', 'withdrawn', 'dead_lettered', 'ready'];

/** The status for people: the funnel with reasons, bins per target, what is on its way. */
export function statusText(status: Status): string[] {
  return [
    ...funnelText(status),
    ...status.targets.flatMap((target) => ['', ...targetText(target)]),
    '',
    ...waitingText(status),
    ...flowText(status),
  ];
}

const MOST_WAITING = 5;

/** What groups wait for, one line each. */
export function waitingText({ waiting = [] }: Status): string[] {
  const lines = waiting
    .slice(0, MOST_WAITING)
    .map((one) => `${plural(one.count, 'group')} ${one.count === 1 ? 'waits' : 'wait'}: ${missingText(one)}`);
  const left = waiting.slice(MOST_WAITING).reduce((sum, { count: groups }) => sum + groups, 0);
  if (left > 0) lines.push(`${plural(left, 'group')} more ${left === 1 ? 'waits' : 'wait'} (tidemark status --json)`);
  return lines.length === 0 ? [] : [...lines, ''];
}

/** The funnel with its reasons, or the states alone. */
export function funnelText({ funnel, problems, intake }: Status, { reasons: all } = { reasons: true }): string[] {
  const refused = intake.problems_refused > 0 ? `, ${count(intake.problems_refused)} refused at the door` : '';
  const head = `${plural(problems, 'problem')}${refused}`;
  const largest = Math.max(0, ...funnel.map((row) => row.problems));
  const rows = STATES.flatMap((state) => {
    const reasons = funnel.filter((row) => row.state === state);
    const total = reasons.reduce((sum, row) => sum + row.problems, 0);
    if (total === 0) return [];
    return [
      [stateInWords(state), count(total), ''],
      ...(all ? reasons : []).map((row) => [
        `  ${reasonInWords(state, row.reason)}${state === 'rejected' || state === 'dead_lettered' ? ` (${row.stage})` : ''}`,
        count(row.problems),
        bar(row.problems, largest, BAR),
      ]),
    ];
  });
  return [head, ...tableLines([{ heading: 'state' }, { heading: 'problems', align: 'right' }, { heading: '' }], rows)];
}

/** A target in one line: its working set, and how many problems are measured in each bin. */
export function targetLine(target: StatusTarget): string {
  const bins = BINS.map((bin) => `${bin} ${count(target.bins[bin]?.measured ?? 0)}`).join(', ');
  return `${target.target}: working set ${count(target.curated)}; ${bins}`;
}

export function targetText(target: StatusTarget): string[] {
  const rate = target.attempts === 0 ? '' : `, ${percent(target.passes / target.attempts)} passed`;
  const failures =
    target.environment_failures === 0
      ? ''
      : `, ${plural(target.environment_failures, 'environment failure')} not counted`;
  const largest = Math.max(0, ...BINS.map((bin) => target.bins[bin]?.curated ?? 0));
  const rows = BINS.map((bin) => {
    const { curated, predicted, measured } = target.bins[bin] ?? { curated: 0, predicted: 0, measured: 0 };
    return [
      bin,
      count(measured),
      count(curated),
      predicted === 0 ? '' : `${count(predicted)} predicted`,
      bar(curated, largest, BAR),
    ];
  });
  return [
    `target ${target.target}, version ${target.version}, checkpoint ${target.checkpoint}`,
    `  ${plural(target.groups, 'group')}, ${plural(target.attempts, 'attempt')}${rate}${failures}; ` +
      `${plural(target.evaluations, 'evaluation')}, ${plural(target.moves, 'move')} between bins`,
    `  working set ${count(target.curated)}, panel ${count(target.panel)}, set aside ${count(target.set_aside)}, in reserve ${count(target.reserve)}`,
    ...tableLines(
      [
        { heading: 'bin' },
        { heading: 'measured', align: 'right' },
        { heading: 'curated', align: 'right' },
        { heading: '' },
        { heading: '' },
      ],
      rows,
    ).map((line) => `  ${line}`),
  ];
}

export function flowText({ services, quiet, rates_per_second }: Status): string[] {
  const busy = services.filter(
    (service) =>
      !service.reachable || !service.quiet || service.dead_letters > 0 || (service.not_ready ?? []).length > 0,
  );
  const rates = Object.entries(rates_per_second)
    .filter(([, rate]) => rate > 0)
    .map(([what, rate]) => `${rate < 10 ? rate.toFixed(1) : count(rate)} ${what}/s`);
  return [
    quiet ? 'All is quiet: nothing is on its way.' : `On its way${rates.length === 0 ? '' : ` (${rates.join(', ')})`}:`,
    ...tableLines([{ heading: 'service' }, { heading: 'what it has in hand' }], busy.map(serviceRow)).slice(1),
  ];
}

function serviceRow(service: StatusService): string[] {
  if (!service.reachable) return [service.service, `does not answer: ${service.error}`];
  const parts = [
    service.lag > 0 ? `${plural(service.lag, 'record')} to read` : '',
    service.outbox > 0 ? `${plural(service.outbox, 'event')} to publish` : '',
    service.jobs > 0 ? plural(service.jobs, 'job') : '',
    ...Object.entries(service.pending).map(([what, amount]) => `${count(amount)} ${inWords(what, amount)}`),
    service.dead_letters > 0 ? `${plural(service.dead_letters, 'record')} laid aside` : '',
    ...(service.not_ready ?? []).map((reason) => `not ready: ${reason}`),
  ];
  return [service.service, parts.filter((part) => part !== '').join(', ')];
}

/** `targetsToReselect` and `curated_records` as people write them. */
const inWords = (name: string, amount: number): string => {
  const words = name.replaceAll('_', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return amount === 1 ? words.replace(/([^s])s\b/, '$1') : words;
};

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;
