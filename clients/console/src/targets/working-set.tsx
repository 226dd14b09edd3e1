import { SegmentedControl, Skeleton } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { BINS, type CuratedRow } from '../api/types.ts';
import { BinTag } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { IntervalBar } from '../ui/interval-bar.tsx';
import { usePages } from '../ui/use-pages.ts';
import { useAddressQuery } from '../ui/use-query.ts';
import { type Column, VirtualList } from '../ui/virtual-list.tsx';
import { count, counted, nameOf } from '../words.ts';
import classes from './targets.module.css';

interface Page {
  readonly problems: readonly CuratedRow[];
  readonly next: string | null;
}

const COLUMNS: readonly Column<CuratedRow>[] = [
  {
    label: 'Problem',
    width: 'minmax(10rem, 1fr)',
    wide: true,
    cell: (row) => (
      <Link href={`/problems/${row.problem_id}`} title={nameOf(row)}>
        {nameOf(row)}
      </Link>
    ),
  },
  { label: 'Rank', width: '4rem', cell: ({ rank }) => <span className="numbers">#{count(rank)}</span> },
  { label: 'Bin', width: '10rem', cell: ({ bin, predicted }) => <BinTag bin={bin} predicted={predicted} /> },
  {
    label: 'Pass rate',
    width: '14.5rem',
    cell: ({ mean, interval }) => <IntervalBar mean={mean} interval={interval} />,
  },
  {
    label: 'Attempts',
    width: '6rem',
    cell: ({ attempts, passes }) => (
      <span className="numbers" title={`${counted(passes, 'pass', 'passes')} in ${counted(attempts, 'attempt')}`}>
        {attempts === 0 ? 'none' : `${count(passes)} of ${count(attempts)}`}
      </span>
    ),
  },
  {
    label: 'Value',
    width: '4rem',
    named: true,
    cell: ({ value }) => <span className="numbers">{value.toFixed(3)}</span>,
  },
];

/** The working set of a target, best first. */
export function WorkingSet({ slug }: { readonly slug: string }) {
  const [{ bin }, change] = useAddressQuery(['bin']);
  const [, navigate] = useLocation();
  const path = `/v1/console/targets/${slug}/working-set`;
  const pages = usePages<Page, CuratedRow>(path, { bin: bin || undefined }, ({ problems }) => problems);
  return (
    <>
      <div className={classes.choices}>
        <SegmentedControl
          size="xs"
          aria-label="Bin"
          data={[{ value: '', label: 'all bins' }, ...BINS.map((name) => ({ value: name, label: name }))]}
          value={bin}
          onChange={(value) => change({ bin: value })}
        />
      </div>
      {pages.error !== null && <ErrorNote error={pages.error} retry={pages.retry} />}
      {pages.loading ? (
        <Skeleton height={320} radius="md" />
      ) : pages.rows.length === 0 ? (
        <Empty title="Nothing is in the working set here.">
          Problems enter when they are ready and worth a rollout for this target.
        </Empty>
      ) : (
        <VirtualList
          label="Working set"
          rows={pages.rows}
          keyOf={({ problem_id }) => problem_id}
          columns={COLUMNS}
          more={pages.more}
          loadingMore={pages.loadingMore}
          open={({ problem_id }) => navigate(`/problems/${problem_id}`)}
        />
      )}
    </>
  );
}
