import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { askJson, pathWith } from '../api/client.ts';
import type { Attempt, AttemptGroups } from '../api/types.ts';
import { Empty } from '../ui/empty.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { bytes, counted, plain, when } from '../words.ts';
import classes from './problem.module.css';

/** Verdicts that say nothing of the model. */
const OURS = new Set(['sandbox_failure', 'checker_failure', 'machine_overloaded', 'language_missing', 'cancelled']);

function colorOf(verdict: string): string {
  if (verdict === 'accepted') return 'var(--ready)';
  return OURS.has(verdict) ? 'var(--withdrawn)' : 'var(--rejected)';
}

/** The newest groups, each attempt with its verdict and what it printed. */
export function Attempts({ problemId, target }: { readonly problemId: string; readonly target: string }) {
  const path = pathWith(`/v1/console/problems/${problemId}/attempts`, { target });
  const { data, error, refetch } = useQuery({
    queryKey: ['live', path],
    queryFn: ({ signal }) => askJson<AttemptGroups>(path, { signal }),
  });
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return null;
  if (data.groups.length === 0) return <Empty title="No attempt yet.">Its difficulty is what the prior says.</Empty>;
  return (
    <>
      {data.withheld !== null && (
        <Text size="sm" c="dimmed" mb="xs">
          {data.withheld}
        </Text>
      )}
      <ul className={classes.groups}>
        {data.groups.map((group) => {
          const passes = group.attempts.filter(({ verdict }) => verdict === 'accepted').length;
          return (
            <li key={`${group.group_id} ${group.submitter} ${group.suite_hash}`}>
              <details className={classes.group}>
                <summary>
                  <span className={classes.cells} aria-hidden>
                    {group.attempts.map(({ index, verdict }) => (
                      <i key={index} style={{ background: colorOf(verdict) }} />
                    ))}
                  </span>
                  <span>
                    {passes} of {group.attempts.length} passed
                  </span>
                  <span className={classes.label}>
                    {group.checkpoint}, for {plain(group.purpose)}, {when(group.graded_at)}
                  </span>
                </summary>
                <ol className={classes.attempts}>
                  {group.attempts.map((attempt) => (
                    <AttemptRow key={attempt.index} attempt={attempt} />
                  ))}
                </ol>
              </details>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function AttemptRow({ attempt }: { readonly attempt: Attempt }) {
  return (
    <li>
      <div className={classes.step}>
        <span className={classes.cells} aria-hidden>
          <i style={{ background: colorOf(attempt.verdict) }} />
        </span>
        <strong>{plain(attempt.verdict)}</strong>
        <span className={`${classes.label} numbers`}>
          {attempt.tests_passed} of {counted(attempt.tests_run, 'test')}
          {attempt.failing_test !== '' && `, failed at ${attempt.failing_test}`}, {Math.round(attempt.cpu_time_ms)} ms
          {attempt.memory_bytes > 0 && `, ${bytes(attempt.memory_bytes)}`}
          {attempt.truncated && ', cut off by the token limit'}
        </span>
      </div>
      {attempt.excerpt !== '' && (
        <pre className={classes.code} tabIndex={0}>
          {attempt.excerpt}
        </pre>
      )}
    </li>
  );
}
