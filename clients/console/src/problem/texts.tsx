import { SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { askJson } from '../api/client.ts';
import type { ShownText, Story, Texts as TextsAnswer } from '../api/types.ts';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { bytes, counted, plain } from '../words.ts';
import { statementHtml } from './markdown.ts';
import classes from './problem.module.css';

/** The statement as it came, beside what cleaning made of it. */
export function Texts({ story }: { readonly story: Story }) {
  const [form, setForm] = useState('shown');
  const path = `/v1/console/problems/${story.problem_id}/texts`;
  const { data, error, refetch } = useQuery({
    queryKey: ['live', path],
    queryFn: ({ signal }) => askJson<TextsAnswer>(path, { signal }),
  });
  const notes = story.normalized?.notes ?? [];
  return (
    <Card
      title="Statement"
      note={
        <SegmentedControl
          size="xs"
          aria-label="How the statement is shown"
          data={[
            { value: 'shown', label: 'as text' },
            { value: 'source', label: 'as written' },
          ]}
          value={form}
          onChange={setForm}
        />
      }
    >
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton height={160} />}
      {typeof data?.withheld === 'string' && <Empty title="This statement is not shown.">{data.withheld}</Empty>}
      {data !== undefined && data.withheld === null && (
        <div className={classes.beside}>
          <Side title="As it came" text={data.original} source={form === 'source'} />
          <Side title="Cleaned" text={data.cleaned} source={form === 'source'} />
        </div>
      )}
      {notes.length > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          Cleaning:{' '}
          {notes
            .map(
              ({ code, count, detail }) =>
                `${plain(code)}${count > 1 ? ` ${count} times` : ''}${detail ? ` (${detail})` : ''}`,
            )
            .join(', ')}
        </Text>
      )}
    </Card>
  );
}

function Side({
  title,
  text,
  source,
}: {
  readonly title: string;
  readonly text: ShownText | null;
  readonly source: boolean;
}) {
  return (
    <div className={classes.text}>
      <h3>
        {title}
        {text !== null && ` · ${bytes(text.bytes)}`}
      </h3>
      <div className={classes.paper} tabIndex={0} role="region" aria-label={`Statement: ${title.toLowerCase()}`}>
        {text === null ? (
          <Text c="dimmed" size="sm">
            Not here: it has not come this far.
          </Text>
        ) : source ? (
          <pre className={classes.source}>{text.text}</pre>
        ) : (
          <Statement markdown={text.text} />
        )}
        {text !== null && text.starter_code !== '' && <pre className={classes.code}>{text.starter_code}</pre>}
        {text !== null && text.cut > 0 && (
          <Text size="sm" c="dimmed">
            … {counted(text.cut, 'more character')}
          </Text>
        )}
      </div>
    </div>
  );
}

function Statement({ markdown }: { readonly markdown: string }) {
  const html = useMemo(() => statementHtml(markdown), [markdown]);
  return <div dangerouslySetInnerHTML={{ __html: html }} />;
}
