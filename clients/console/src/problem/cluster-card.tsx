import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { askJson } from '../api/client.ts';
import type { Cluster, Story } from '../api/types.ts';
import { Card } from '../ui/card.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { counted, nameOf, percent, plain } from '../words.ts';
import classes from './problem.module.css';

/** Who resembles it, and was turned away for that. */
export function ClusterCard({ story }: { readonly story: Story }) {
  const path = `/v1/console/problems/${story.problem_id}/cluster`;
  const { data, error, refetch } = useQuery({
    queryKey: ['live', path],
    queryFn: ({ signal }) => askJson<Cluster>(path, { signal }),
  });
  const size = story.cluster?.cluster_size ?? 0;
  return (
    <Card
      title="Cluster"
      note={size > 0 ? `${counted(size, 'member')}, ${plain(story.cluster?.split ?? '')} side` : undefined}
    >
      {error !== null && <ErrorNote error={error} retry={() => void refetch()} />}
      {data?.members.length === 0 && (
        <div className={classes.facts}>
          {story.cluster === null ? 'It represents no cluster.' : 'Nothing that came resembles it.'}
        </div>
      )}
      <ul className={classes.facts}>
        {data?.members.map((member) => (
          <li key={member.problem_id}>
            <Link href={`/problems/${member.problem_id}`}>{nameOf(member)}</Link>,{' '}
            {plain(member.reason || member.state)}
            {member.value !== null && `, ${percent(member.value)} alike`}
          </li>
        ))}
      </ul>
    </Card>
  );
}
