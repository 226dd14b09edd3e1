import { Skeleton } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import type { MoveRow } from '../api/types.ts';
import { BinTag } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { usePages } from '../ui/use-pages.ts';
import { type Column, VirtualList } from '../ui/virtual-list.tsx';
import { count, binReason, nameOf, when } from '../words.ts';

interface Page {
  readonly moves: readonly MoveRow[];
  readonly next: string | null;
}

const COLUMNS: readonly Column<MoveRow>[] = [
  {
    label: 'Problem',
    width: 'minmax(10rem, 1fr)',
    wide: true,
    cell: (row) => <Link href={`/problems/${row.problem_id}`}>{nameOf(row)}</Link>,
  },
  { label: 'From', width: '7rem', cell: ({ from }) => <BinTag bin={from} /> },
  { label: 'To', width: '7rem', cell: ({ to }) => <BinTag bin={to} /> },
  {
    label: 'Why',
    width: 'minmax(8rem, 1fr)',
    cell: ({ reason }) => <span title={binReason(reason)}>{binReason(reason)}</span>,
  },
  {
    label: 'Evaluation',
    width: '6rem',
    cell: ({ evaluation }) => <span className="numbers">no. {count(evaluation)}</span>,
  },
  { label: 'When', width: '10rem', cell: ({ moved_at }) => <span className="numbers">{when(moved_at)}</span> },
];

/** Moves between bins, newest first, each with its reason. */
export function Moves({ slug }: { readonly slug: string }) {
  const [, navigate] = useLocation();
  const pages = usePages<Page, MoveRow>(`/v1/console/targets/${slug}/moves`, {}, ({ moves }) => moves);
  if (pages.error !== null) return <ErrorNote error={pages.error} retry={pages.retry} />;
  if (pages.loading) return <Skeleton height={320} radius="md" />;
  if (pages.rows.length === 0) {
    return <Empty title="No problem has moved yet.">Bins change at evaluations, when the evidence carries it.</Empty>;
  }
  return (
    <VirtualList
      label="Moves between bins"
      rows={pages.rows}
      keyOf={({ problem_id, evaluation }) => `${evaluation} ${problem_id}`}
      columns={COLUMNS}
      more={pages.more}
      loadingMore={pages.loadingMore}
      open={({ problem_id }) => navigate(`/problems/${problem_id}`)}
    />
  );
}
