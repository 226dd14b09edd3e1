import { Skeleton, Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ApiError, askJson } from '../api/client.ts';
import type { Story } from '../api/types.ts';
import { stateColor, Tag } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { usePageTitle } from '../ui/shell.tsx';
import { nameOf, reasonWord, stateWord, when } from '../words.ts';
import { About } from './about.tsx';
import { ClusterCard } from './cluster-card.tsx';
import classes from './problem.module.css';
import { Stages } from './stages.tsx';
import { TargetCard } from './target-card.tsx';
import { Tests } from './tests.tsx';
import { Texts } from './texts.tsx';

/** One problem: its whole story. */
export function ProblemPage({ id }: { readonly id: string }) {
  const path = `/v1/problems/${encodeURIComponent(id)}`;
  const { data, error, refetch } = useQuery({
    queryKey: ['live', path],
    queryFn: ({ signal }) => askJson<Story>(path, { signal }),
  });
  usePageTitle(data === undefined ? 'Problem' : nameOf(data));
  if (error instanceof ApiError && error.status === 404) {
    return <Empty title="There is no such problem.">It may have come under another id; search by its record id.</Empty>;
  }
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={420} radius="md" />;
  const texts = [<Texts key="texts" story={data} />, <Tests key="tests" story={data} />];
  const way = (
    <div key="way" className={classes.two}>
      <Stages story={data} />
      <Stack gap="lg">
        <About story={data} />
        <ClusterCard story={data} />
      </Stack>
    </div>
  );
  // What was stopped says first why.
  return (
    <Stack gap="lg">
      <Head story={data} />
      {data.targets.map((story) => (
        <TargetCard key={story.target} problemId={data.problem_id} story={story} />
      ))}
      {data.state === 'ready' ? [...texts, way] : [way, ...texts]}
    </Stack>
  );
}

function Head({ story }: { readonly story: Story }) {
  const { state, stage, reason, held_out: heldOut, incoming } = story;
  const why = state === 'ready' ? '' : `: ${reasonWord(state, reason ?? '')}, says ${stage ?? ''}`;
  return (
    <div>
      <div className={classes.head}>
        <Title order={1} size="h3">
          {nameOf(story)}
        </Title>
        <Tag color={stateColor(state, heldOut)}>
          {heldOut === true ? 'held out for evaluation' : stateWord(state)}
          {why}
        </Tag>
      </div>
      <div className={classes.meta}>
        <span>
          {story.namespace} {story.record_id}
        </span>
        <span>version {story.version}</span>
        <span>changed {when(story.changed_at)}</span>
        {incoming !== undefined && (
          <span>
            version {incoming.version} is on its way: {reasonWord(incoming.kind, incoming.reason)}
          </span>
        )}
      </div>
    </div>
  );
}
