import { BINS, type StateCount, type Status, type TargetCounts } from '../api/types.ts';
import { reasonWord, stateWord } from '../words.ts';

/** The way that a problem takes, and what each step does, in one word for people. */
export const STAGES = [
  { name: 'ingest', label: 'Ingest' },
  { name: 'normalize', label: 'Normalize' },
  { name: 'dedup', label: 'Dedup' },
  { name: 'execute', label: 'Execute' },
  { name: 'score', label: 'Score' },
] as const;

/** Reasons of one stage that are drawn apart; the rest is one. */
const SHOWN_REASONS = 6;

export type FlowKind = 'way' | 'ready' | 'held-out' | 'rejected' | 'withdrawn' | 'dead-lettered' | 'waiting' | 'place';

export interface FlowNode {
  readonly id: string;
  readonly label: string;
  readonly kind: FlowKind;
  /** 0-based, from the left. */
  readonly column: number;
  /** Place within the column, from the top. */
  readonly order: number;
  /** Where one sees the problems themselves; undefined where no list shows just these. */
  readonly href: string | undefined;
  /** Bin, for a place in the working set. */
  readonly bin?: string;
}

export interface FlowLink {
  readonly source: string;
  readonly target: string;
  /** Problems, at least 1. */
  readonly value: number;
}

export interface Flow {
  readonly nodes: readonly FlowNode[];
  readonly links: readonly FlowLink[];
}

/** What went where and why. Every problem flows once from the left to where it is now: what enters a node leaves it. */
export function flowOf(status: Status, targetName: string | undefined): Flow {
  const flow = new FlowBuilder();
  const refused = status.intake.problems_refused ?? 0;
  const waysOut = Map.groupBy(
    status.funnel.filter(({ state }) => state !== 'ready'),
    ({ stage }) => (STAGES.some(({ name }) => name === stage) ? stage : 'score'),
  );
  flow.node({ id: 'offered', label: 'Offered', kind: 'way', column: 0, order: 0, href: '/problems' });
  if (refused > 0) {
    const refusal = { id: 'refused', label: 'refused at the door', kind: 'rejected', column: 1, order: 1 } as const;
    flow.node({ ...refusal, href: undefined });
    flow.link('offered', 'refused', refused);
  }
  let left = status.problems;
  let from = 'offered';
  for (const [index, { name, label }] of STAGES.entries()) {
    if (left <= 0) break;
    flow.node({ id: name, label, kind: 'way', column: index + 1, order: 0, href: undefined });
    flow.link(from, name, left);
    for (const [order, out] of fewer(waysOut.get(name) ?? []).entries()) {
      flow.node({ ...out.node, column: index + 2, order: order + 2 });
      flow.link(name, out.node.id, out.problems);
      left -= out.problems;
    }
    from = name;
  }
  addReady(flow, status, targetName);
  return flow;
}

function addReady(flow: FlowBuilder, status: Status, targetName: string | undefined): void {
  const column = STAGES.length + 1;
  const ready = (reason: string) =>
    status.funnel
      .filter((row) => row.state === 'ready' && row.reason === reason)
      .reduce((sum, { problems }) => sum + problems, 0);
  const train = ready('train');
  const heldOut = ready('held_out');
  if (train > 0) {
    flow.node({ id: 'train', label: 'For training', kind: 'ready', column, order: 0, href: '/problems?state=ready' });
    flow.link('score', 'train', train);
    const target = status.targets.find((candidate) => candidate.target === targetName);
    if (target !== undefined) addPlaces(flow, target, column + 1);
  }
  if (heldOut > 0) {
    const href = '/problems?state=ready&held_out=true';
    flow.node({ id: 'held_out', label: 'Held out', kind: 'held-out', column, order: 1, href });
    flow.link('score', 'held_out', heldOut);
  }
}

function addPlaces(flow: FlowBuilder, target: TargetCounts, column: number): void {
  for (const [order, bin] of BINS.entries()) {
    const { curated = 0 } = target.bins[bin] ?? {};
    if (curated === 0) continue;
    const href = `/targets/${target.target}?bin=${bin}`;
    flow.node({ id: `bin:${bin}`, label: bin, kind: 'place', column, order, href, bin });
    flow.link('train', `bin:${bin}`, curated);
  }
  const others = [
    ['panel', 'panel', target.panel],
    ['set_aside', 'set aside', target.set_aside],
    ['reserve', 'in reserve', target.reserve],
  ] as const;
  for (const [index, [id, label, problems]] of others.entries()) {
    if (problems === 0) continue;
    flow.node({ id, label, kind: 'place', column, order: BINS.length + index, href: `/targets/${target.target}` });
    flow.link('train', id, problems);
  }
}

interface WayOut {
  readonly node: Pick<FlowNode, 'id' | 'label' | 'kind' | 'href'>;
  readonly problems: number;
}

/** The largest ways out of a stage one by one, the small ones together. */
function fewer(rows: readonly StateCount[]): WayOut[] {
  const sorted = rows.toSorted((left, right) => right.problems - left.problems);
  const shown = sorted.length > SHOWN_REASONS + 1 ? sorted.slice(0, SHOWN_REASONS) : sorted;
  const rest = sorted.slice(shown.length);
  const ways = shown.map(wayOutOf);
  const [first] = rest;
  if (first === undefined) return ways;
  const problems = rest.reduce((sum, row) => sum + row.problems, 0);
  const label = `${rest.length} other reasons`;
  const id = `${first.stage}:others`;
  return [
    ...ways,
    { node: { id, label, kind: kindOf(first.state), href: `/problems?stage=${first.stage}` }, problems },
  ];
}

function wayOutOf({ state, stage, reason, problems }: StateCount): WayOut {
  const words = reasonWord(state, reason);
  const label = state === 'rejected' || words === stateWord(state) ? words : `${stateWord(state)}: ${words}`;
  const href = `/problems?${new URLSearchParams({ state, stage, reason }).toString()}`;
  return { node: { id: `${stage}:${state}:${reason}`, label, kind: kindOf(state), href }, problems };
}

function kindOf(state: string): FlowKind {
  if (state === 'withdrawn' || state === 'waiting') return state;
  return state === 'dead_lettered' ? 'dead-lettered' : 'rejected';
}

class FlowBuilder implements Flow {
  readonly nodes: FlowNode[] = [];
  readonly links: FlowLink[] = [];

  node(node: FlowNode): void {
    this.nodes.push(node);
  }

  link(source: string, target: string, value: number): void {
    if (value > 0) this.links.push({ source, target, value });
  }
}
