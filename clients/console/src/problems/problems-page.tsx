import { Skeleton, Stack, Title } from '@mantine/core';
import { useLocation } from 'wouter';
import type { ProblemRow } from '../api/types.ts';
import { Tag, stateColor } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { usePageTitle } from '../ui/shell.tsx';
import { usePages } from '../ui/use-pages.ts';
import { useAddressQuery } from '../ui/use-query.ts';
import { type Column, VirtualList } from '../ui/virtual-list.tsx';
import { Link } from 'wouter';
import { nameOf, reasonWord, stateWord, when } from '../words.ts';
import { FILTERS, Filters } from './filters.tsx';
import classes from './problems.module.css';

interface Page {
  readonly problems: readonly ProblemRow[];
  readonly next: string | null;
}

const COLUMNS: readonly Column<ProblemRow>[] = [
  {
    label: 'Problem',
    width: 'minmax(12rem, 2fr)',
    wide: true,
    cell: (row) => (
      <Link href={`/problems/${row.problem_id}`} title={nameOf(row)}>
        {nameOf(row)}
      </Link>
    ),
  },
  {
    label: 'State',
    width: '10rem',
    cell: ({ state, held_out: heldOut }) => (
      <Tag color={stateColor(state, heldOut)}>{heldOut === true ? 'held out' : stateWord(state)}</Tag>
    ),
  },
  {
    label: 'Why',
    width: 'minmax(9rem, 1fr)',
    cell: ({ state, stage, reason }) =>
      state === 'ready' ? '' : `${reasonWord(state, reason ?? '')}${stage ? ` (${stage})` : ''}`,
  },
  { label: 'Source', width: 'minmax(8rem, 1fr)', cell: ({ namespace, record_id }) => `${namespace} ${record_id}` },
  { label: 'Changed', width: '10rem', cell: ({ changed_at }) => <span className="numbers">{when(changed_at)}</span> },
];

/** All problems, narrowed by the filters in the address. */
export function ProblemsPage() {
  usePageTitle('Problems');
  const [query, change] = useAddressQuery(FILTERS);
  const [, navigate] = useLocation();
  const pages = usePages<Page, ProblemRow>('/v1/problems', query, ({ problems }) => problems);
  const isNarrowed = Object.values(query).some((value) => value !== '');
  return (
    <Stack gap="md">
      <Title order={1} size="h3">
        Problems
      </Title>
      <Filters query={query} change={change} />
      {pages.error !== null && <ErrorNote error={pages.error} retry={pages.retry} />}
      {pages.loading ? (
        <Skeleton height={480} radius="md" />
      ) : pages.rows.length === 0 ? (
        <Empty title={isNarrowed ? 'No problem is like that.' : 'There is no problem yet.'}>
          {isNarrowed ? (
            <Link href="/problems">Show all</Link>
          ) : (
            <>
              Offer some: <code>npx tidemark ingest problems.jsonl</code>
            </>
          )}
        </Empty>
      ) : (
        <VirtualList
          label="Problems"
          rows={pages.rows}
          keyOf={({ problem_id }) => problem_id}
          columns={COLUMNS}
          more={pages.more}
          loadingMore={pages.loadingMore}
          open={({ problem_id }) => navigate(`/problems/${problem_id}`)}
        />
      )}
      <div className={classes.hint}>
        <kbd>/</kbd> search, <kbd>j</kbd> <kbd>k</kbd> or arrows choose in the list, <kbd>Enter</kbd> opens
      </div>
    </Stack>
  );
}
