import { Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { askJson } from '../api/client.ts';
import classes from '../problem/problem.module.css';
import { Card } from '../ui/card.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { counted, plain, when } from '../words.ts';
import { LetterOrders } from './letter-orders.tsx';
import type { LetterWithRecord } from './letter-types.ts';

/** One record that lies aside: what went wrong, what it holds, and what can be done with it. */
export function LetterCard({ id }: { readonly id: string }) {
  const path = `/v1/dead-letters/${encodeURIComponent(id)}`;
  const { data, error, refetch } = useQuery({
    queryKey: ['live', path],
    queryFn: ({ signal }) => askJson<LetterWithRecord>(path, { signal }),
  });
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={200} radius="md" />;
  return (
    <Card title={`${data.service}: ${plain(data.error_code)}`} note={plain(data.state)}>
      <Stack gap="sm">
        <Text size="sm">{data.error_message}</Text>
        <Text size="sm" c="dimmed">
          From {data.topic}, {when(data.dead_lettered_at)}, tried {counted(data.attempts, 'time')}
          {data.replays > 0 && `, replayed ${counted(data.replays, 'time')}`}.{' '}
          {data.problem_id !== undefined && <Link href={`/problems/${data.problem_id}`}>Its problem</Link>}
        </Text>
        {data.state === 'open' && <LetterOrders chosen={{ ids: [id] }} many="it" />}
        {data.record === null ? (
          <Text size="sm" c="dimmed">
            The record is no longer in the log.
          </Text>
        ) : (
          <pre className={classes.code} tabIndex={0} role="region" aria-label="The record, without contents">
            {JSON.stringify(data.record, null, 2)}
          </pre>
        )}
      </Stack>
    </Card>
  );
}
