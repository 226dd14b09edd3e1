import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { askJson, pathWith } from '../api/client.ts';
import type { CutText, Story, Tests as TestsAnswer } from '../api/types.ts';
import { Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { counted, plain } from '../words.ts';
import classes from './problem.module.css';

const PAGE = 20;

/** The suite that judges, for those who may see it: asked for only when somebody wants it. */
export function Tests({ story }: { readonly story: Story }) {
  const [wanted, setWanted] = useState(false);
  const { verified } = story;
  const references = verified?.reference_runs ?? [];
  return (
    <Card title="Tests" note={verified === null ? undefined : counted(verified.test_count, 'judging test')}>
      {verified === null ? (
        <Empty title="Its tests are not proven yet.">They count when a reference solution passes all of them.</Empty>
      ) : (
        <>
          <Text size="sm" c="dimmed">
            {references.map(
              ({ language, tests_run, max_cpu_time_ms }) =>
                `A ${language} reference passed ${counted(tests_run, 'test')}, the slowest in ${Math.round(max_cpu_time_ms)} ms. `,
            )}
            Suite {verified.suite_hash.slice(0, 12)}, judge {verified.judge_version.slice(0, 12)}.
            {verified.shares_process &&
              ' They run in the program’s own process: a program that sets out to can forge a pass.'}
          </Text>
          {wanted ? (
            <Suite problemId={story.problem_id} />
          ) : (
            <Button mt="sm" size="compact-sm" variant="default" onClick={() => setWanted(true)}>
              Show the tests
            </Button>
          )}
        </>
      )}
    </Card>
  );
}

function Suite({ problemId }: { readonly problemId: string }) {
  const path = `/v1/console/problems/${problemId}/tests`;
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: [path],
    queryFn: ({ pageParam, signal }) =>
      askJson<TestsAnswer>(pathWith(path, { offset: pageParam, limit: PAGE }), { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => (pages.length * PAGE < total ? pages.length * PAGE : undefined),
  });
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  const first = data?.pages[0];
  if (first === undefined) return null;
  if (first.withheld !== null) return <Empty title="The tests are not shown.">{first.withheld}</Empty>;
  const tests = data?.pages.flatMap((page) => page.tests) ?? [];
  return (
    <>
      <Text size="sm" c="dimmed" mb="sm">
        {plain(first.form)}, compared by {plain(first.checker)}
        {first.entry_point !== '' && `, calls ${first.entry_point}`}
      </Text>
      {first.setup_code.text !== '' && <pre className={classes.code}>{first.setup_code.text}</pre>}
      <ol className={classes.tests}>
        {tests.map((test, index) => (
          <li key={`${index} ${test.name}`} className={classes.test} data-single={test.expected === null || undefined}>
            <div>
              Test {test.name} {test.public && <span className={classes.label}>in the statement</span>}
            </div>
            <Part label={test.kind === 'asserts' ? 'asserts' : 'input'} text={test.input} />
            {test.expected !== null && <Part label="expected" text={test.expected} />}
          </li>
        ))}
      </ol>
      {hasNextPage && (
        <Button
          mt="sm"
          size="compact-sm"
          variant="default"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          More ({tests.length} of {first.total})
        </Button>
      )}
    </>
  );
}

function Part({ label, text }: { readonly label: string; readonly text: CutText | null }) {
  return (
    <div>
      <div className={classes.label}>{label}</div>
      <pre className={classes.code} tabIndex={0}>
        {text?.text}
        {text !== null && text.cut > 0 && ` … ${counted(text.cut, 'more character')}`}
      </pre>
    </div>
  );
}
