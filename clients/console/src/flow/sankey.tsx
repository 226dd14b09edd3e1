import { sankey, sankeyLinkHorizontal, type SankeyLink, type SankeyNode } from 'd3-sankey';
import { useMemo, useState } from 'react';
import { Link } from 'wouter';
import { binColor } from '../ui/card.tsx';
import { count, counted } from '../words.ts';
import type { Flow, FlowKind, FlowNode } from './flow-model.ts';
import classes from './flow.module.css';

const WIDTH = 1240;
const NODE_WIDTH = 10;
/** Room between the nodes of a column: two lines of text. */
const PADDING = 30;
const LEAST_HEIGHT = 340;
/** Room for the words behind the last column, and above the first row. */
const MARGIN = { top: 22, right: 132, bottom: 22, left: 2 };
/** Letters of a line that fit before the next column. */
const LINE_LETTERS = 19;
const LINE_PX = 14;

const COLORS: Readonly<Record<Exclude<FlowKind, 'place'>, string>> = {
  way: 'var(--way)',
  ready: 'var(--ready)',
  'held-out': 'var(--held-out)',
  rejected: 'var(--rejected)',
  withdrawn: 'var(--withdrawn)',
  'dead-lettered': 'var(--dead-lettered)',
  waiting: 'var(--waiting)',
};

export const colorOf = ({ kind, bin }: FlowNode): string =>
  kind === 'place' ? (bin === undefined ? 'var(--way)' : binColor(bin)) : COLORS[kind];

type Node = SankeyNode<FlowNode, object>;
type Ribbon = SankeyLink<FlowNode, object>;

/** The flow as a picture; the list below it says the same in words. */
export function Sankey({ flow }: { readonly flow: Flow }) {
  const { nodes, links, height } = useMemo(() => layout(flow), [flow]);
  const [lit, setLit] = useState<string>();
  const drawn = sankeyLinkHorizontal();
  return (
    <svg className={classes.sankey} viewBox={`0 0 ${WIDTH} ${height}`} role="group" aria-label="The flow of problems">
      <g>
        {links.map((link) => {
          const [source, target] = [link.source as Node, link.target as Node];
          return (
            <path
              key={`${source.id} ${target.id}`}
              className={classes.link}
              d={drawn(link) ?? ''}
              stroke={colorOf(target.kind === 'way' ? source : target)}
              strokeWidth={Math.max(1.5, link.width ?? 0)}
              data-lit={lit === source.id || lit === target.id || undefined}
            >
              <title>{`${source.label} → ${target.label}: ${counted(link.value, 'problem')}`}</title>
            </path>
          );
        })}
      </g>
      {nodes.map((node) => (
        <g
          key={node.id}
          className={classes.node}
          onMouseEnter={() => setLit(node.id)}
          onMouseLeave={() => setLit(undefined)}
        >
          <NodeShape node={node} />
        </g>
      ))}
    </svg>
  );
}

function NodeShape({ node }: { readonly node: Node }) {
  const { x0 = 0, y0 = 0, y1 = 0, value = 0, label, href } = node;
  const high = Math.max(2, y1 - y0);
  const above = node.order === 0;
  const [x, y] = above ? [x0, y0 - 8] : [x0 + NODE_WIDTH + 6, y0 + high / 2 + 4];
  const lines = above ? [label] : linesOf(label, count(value).length);
  const words = (
    <text x={x} y={y - ((lines.length - 1) * LINE_PX) / 2} className={classes.label}>
      {lines.map((line, index) => (
        <tspan key={line} x={x} dy={index === 0 ? 0 : LINE_PX}>
          {`${line} `}
        </tspan>
      ))}
      <tspan className={classes.count} dx={3}>
        {count(value)}
      </tspan>
    </text>
  );
  return (
    <>
      <title>{`${label}: ${counted(value, 'problem')}`}</title>
      <rect x={x0} y={y0} width={NODE_WIDTH} height={high} rx={Math.min(3, high / 2)} fill={colorOf(node)} />
      {href === undefined ? words : <Link href={href}>{words}</Link>}
    </>
  );
}

/** A label on one line or two; what does not fit on the second is cut. */
function linesOf(label: string, digits: number): string[] {
  const room = LINE_LETTERS - digits;
  if (label.length <= room) return [label];
  const blank = label.lastIndexOf(' ', LINE_LETTERS);
  const first = label.slice(0, blank > 0 ? blank : LINE_LETTERS);
  const rest = label.slice(first.length).trimStart();
  return [first, rest.length > room ? `${rest.slice(0, room - 1)}…` : rest];
}

function layout({ nodes, links }: Flow): { nodes: Node[]; links: Ribbon[]; height: number } {
  const columns = Map.groupBy(nodes, ({ column }) => column);
  const most = Math.max(...[...columns.values()].map((column) => column.length));
  const height = Math.max(LEAST_HEIGHT, most * (PADDING + 12) + 150);
  const lastColumn = Math.max(...columns.keys());
  // Few columns do not stretch over the whole width.
  const right = Math.min(WIDTH - MARGIN.right, MARGIN.left + lastColumn * 210 + NODE_WIDTH);
  const graph = sankey<FlowNode, object>()
    .nodeId(({ id }) => id)
    .nodeAlign(({ column }) => column)
    .nodeSort((left, other) => left.order - other.order)
    .nodeWidth(NODE_WIDTH)
    .nodePadding(PADDING)
    .iterations(0)
    .extent([
      [MARGIN.left, MARGIN.top],
      [right, height - MARGIN.bottom],
    ])({ nodes: nodes.map((node) => ({ ...node })), links: links.map((link) => ({ ...link })) });
  settle(graph.nodes);
  return { nodes: graph.nodes, links: graph.links, height };
}

/** The way runs along the top, straight; what leaves it hangs below, in its order. */
function settle(nodes: Node[]): void {
  for (const column of Map.groupBy(nodes, ({ column: at }) => at).values()) {
    let y = MARGIN.top;
    for (const node of column.toSorted((left, right) => left.order - right.order)) {
      const high = (node.y1 ?? 0) - (node.y0 ?? 0);
      // A column without a piece of the way leaves its row free.
      if (node.order > 0 && y === MARGIN.top && node.kind !== 'place') y += MARGIN.top;
      node.y0 = y;
      node.y1 = y + high;
      y += high + PADDING;
    }
  }
  for (const node of nodes) {
    stack(node.sourceLinks ?? [], node.y0 ?? 0, 'y0', (link) => (link.target as Node).y0 ?? 0);
    stack(node.targetLinks ?? [], node.y0 ?? 0, 'y1', (link) => (link.source as Node).y0 ?? 0);
  }
}

function stack(links: Ribbon[], from: number, end: 'y0' | 'y1', place: (link: Ribbon) => number): void {
  let y = from;
  for (const link of links.toSorted((left, right) => place(left) - place(right))) {
    link[end] = y + (link.width ?? 0) / 2;
    y += link.width ?? 0;
  }
}
