import { Group, SegmentedControl, Select, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { askJson } from '../api/client.ts';
import { Empty } from '../ui/empty.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { usePageTitle } from '../ui/shell.tsx';
import { usePages } from '../ui/use-pages.ts';
import { useAddressQuery } from '../ui/use-query.ts';
import { type Column, VirtualList } from '../ui/virtual-list.tsx';
import { count, plain, when } from '../words.ts';
import { LetterCard } from './letter-card.tsx';
import { LetterOrders } from './letter-orders.tsx';
import type { Letter } from './letter-types.ts';

interface Page {
  readonly dead_letters: readonly Letter[];
  readonly next: string | null;
}
interface Kind {
  readonly service: string;
  readonly error_code: string;
  readonly open: number;
}
const STATES = ['open', 'replayed', 'dropped', 'expired', 'all'];

const columns = (hrefOf: (letter: Letter) => string): Column<Letter>[] => [
  {
    label: 'What went wrong',
    width: 'minmax(12rem, 2fr)',
    wide: true,
    cell: (letter) => (
      <Link href={hrefOf(letter)} title={letter.error_message}>
        {letter.error_message || plain(letter.error_code)}
      </Link>
    ),
  },
  { label: 'Service', width: '7rem', cell: ({ service }) => service },
  { label: 'Error', width: 'minmax(7rem, 1fr)', cell: ({ error_code }) => plain(error_code) },
  { label: 'Record', width: 'minmax(9rem, 1fr)', cell: recordOf },
  {
    label: 'Tried',
    width: '4rem',
    named: true,
    cell: ({ attempts }) => <span className="numbers">{count(attempts)}</span>,
  },
  {
    label: 'When',
    width: '10rem',
    cell: ({ dead_lettered_at }) => <span className="numbers">{when(dead_lettered_at)}</span>,
  },
];

function recordOf({ source_file: file, source_record: record, topic }: Letter): string {
  return file === undefined ? topic : `${file}, ${record ?? 0}`;
}

/** Records that a service could not use: laid aside with their bytes, so that nothing is lost. */
export function LettersPage() {
  usePageTitle('Dead letters');
  const [query, change] = useAddressQuery(['service', 'code', 'state', 'letter']);
  const { service, code, state, letter } = query;
  const filter = { service, code, state };
  const pages = usePages<Page, Letter>('/v1/dead-letters', filter, ({ dead_letters: letters }) => letters);
  const { data } = useQuery({
    queryKey: ['live', 'dead-letter-kinds'],
    queryFn: ({ signal }) => askJson<{ kinds: readonly Kind[] }>('/v1/console/dead-letter-kinds', { signal }),
  });
  const hrefOf = ({ id }: Letter) =>
    `/dead-letters?${new URLSearchParams(Object.entries({ ...filter, letter: id }).filter(([, value]) => value !== '')).toString()}`;
  const isOpen = state === '' || state === 'open';
  return (
    <Stack gap="md">
      <div>
        <Title order={1} size="h3">
          Dead letters
        </Title>
        <Text c="dimmed" size="sm">
          Records that a service could not use lie here with their bytes; the rest went on without them.
        </Text>
      </div>
      <Group gap="sm" align="end">
        <SegmentedControl
          size="xs"
          aria-label="State"
          data={STATES}
          value={state || 'open'}
          onChange={(value) => change({ state: value === 'open' ? '' : value, letter: '' })}
        />
        <Select
          aria-label="Service and error"
          placeholder="every service and error"
          clearable
          size="xs"
          w={300}
          maw="100%"
          data={(data?.kinds ?? []).map((kind) => ({
            value: `${kind.service} ${kind.error_code}`,
            label: `${kind.service}: ${plain(kind.error_code)} (${count(kind.open)} open)`,
          }))}
          value={service === '' ? null : `${service} ${code}`}
          onChange={(value) => {
            const [nextService = '', nextCode = ''] = value?.split(' ') ?? [];
            change({ service: nextService, code: nextCode, letter: '' });
          }}
        />
        {isOpen && service !== '' && pages.rows.length > 0 && (
          <LetterOrders key={`${service} ${code}`} chosen={{ service, code }} many="all of these" />
        )}
      </Group>
      {letter !== '' && <LetterCard key={letter} id={letter} />}
      {pages.error !== null && <ErrorNote error={pages.error} retry={pages.retry} />}
      {pages.loading ? (
        <Skeleton height={320} radius="md" />
      ) : pages.rows.length === 0 ? (
        <Empty title={isOpen ? 'No record lies aside.' : 'None is like that.'}>
          {isOpen && 'Every record that came could be used, was answered at the door, or was looked after.'}
        </Empty>
      ) : (
        <VirtualList
          label="Dead letters"
          rows={pages.rows}
          keyOf={({ id }) => id}
          columns={columns(hrefOf)}
          more={pages.more}
          loadingMore={pages.loadingMore}
          open={({ id }) => change({ letter: id })}
        />
      )}
    </Stack>
  );
}
