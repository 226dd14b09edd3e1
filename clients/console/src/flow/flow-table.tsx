import { useMediaQuery } from '@mantine/hooks';
import { Link } from 'wouter';
import { Dot } from '../ui/card.tsx';
import { count } from '../words.ts';
import type { Flow, FlowNode } from './flow-model.ts';
import { colorOf } from './sankey.tsx';
import classes from './flow.module.css';

/** The flow in words: each step with what left the way there. On narrow pages it takes the picture's place. */
export function FlowTable({ flow }: { readonly flow: Flow }) {
  const narrow = useMediaQuery('(max-width: 56rem)') ?? false;
  const rows = rowsOf(flow);
  const most = Math.max(1, ...rows.map(({ problems }) => problems));
  const list = (
    <ul className={classes.ways}>
      {rows.map(({ node, problems }) => (
        <li key={node.id} data-out={node.kind !== 'way' || undefined}>
          <span>
            <Dot color={colorOf(node)} />{' '}
            {node.href === undefined ? node.label : <Link href={node.href}>{node.label}</Link>}
          </span>
          <span className={classes.track} aria-hidden>
            <span
              className={classes.fill}
              style={{ width: `${(100 * problems) / most}%`, background: colorOf(node) }}
            />
          </span>
          <span className="numbers">{count(problems)}</span>
        </li>
      ))}
    </ul>
  );
  return (
    <div className={classes.table}>
      {narrow ? (
        list
      ) : (
        <details>
          <summary>The same in words</summary>
          {list}
        </details>
      )}
    </div>
  );
}

/** Nodes in reading order: each step of the way, then what left it there. */
function rowsOf({ nodes, links }: Flow): { node: FlowNode; problems: number }[] {
  const problemsOf = (node: FlowNode) =>
    links
      .filter(({ source, target }) => (node.id === 'offered' ? source === node.id : target === node.id))
      .reduce((sum, { value }) => sum + value, 0);
  const placed = new Set<string>();
  const rows: { node: FlowNode; problems: number }[] = [];
  const place = (node: FlowNode) => {
    if (placed.has(node.id)) return;
    placed.add(node.id);
    rows.push({ node, problems: problemsOf(node) });
    const below = links.filter(({ source }) => source === node.id).map(({ target }) => target);
    const next = nodes.filter(({ id }) => below.includes(id));
    for (const out of next.filter(({ kind }) => kind !== 'way')) place(out);
    for (const step of next.filter(({ kind }) => kind === 'way')) place(step);
  };
  for (const node of nodes) place(node);
  return rows;
}
