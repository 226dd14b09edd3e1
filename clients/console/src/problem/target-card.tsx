import { Text } from '@mantine/core';
import { Link } from 'wouter';
import type { TargetStory } from '../api/types.ts';
import { BinTag, Card } from '../ui/card.tsx';
import { counted, binReason, percent, plain, when } from '../words.ts';
import { Attempts } from './attempts.tsx';
import { PosteriorOverTime, PosteriorShape } from './posterior.tsx';
import classes from './problem.module.css';

/** What the problem is for one target: where it stands and why, what is believed, what was seen. */
export function TargetCard({ problemId, story }: { readonly problemId: string; readonly story: TargetStory }) {
  const { target, difficulty, curated, moves, why, placement } = story;
  const bin = difficulty?.bin ?? curated?.bin ?? placement.bin;
  return (
    <Card
      title={`For ${target}`}
      note={<Link href={`/targets/${target}`}>{plain(placement.kind)}</Link>}
      id={`target-${target}`}
    >
      <Text size="sm">
        {bin !== undefined && (
          <span className={classes.bin}>
            <BinTag bin={bin} predicted={difficulty === null} />
          </span>
        )}
        {why}
      </Text>
      <div className={classes.two} style={{ marginTop: '0.9rem' }}>
        <div>
          {difficulty === null ? (
            <Text size="sm" c="dimmed">
              Not measured: the prior alone says{' '}
              {curated === null ? 'nothing' : `a pass rate of ${percent(curated.mean)}`}.
            </Text>
          ) : (
            <>
              <PosteriorShape difficulty={difficulty} />
              <Text size="sm" c="dimmed">
                {counted(difficulty.passes, 'pass', 'passes')} in {counted(difficulty.attempts, 'attempt')}, mean{' '}
                {percent(difficulty.mean)}; {binReason(difficulty.reason)}
              </Text>
              <PosteriorOverTime problemId={problemId} target={target} />
            </>
          )}
          {moves.length > 0 && (
            <ul className={classes.facts}>
              {moves.map((move) => (
                <li key={move.evaluation}>
                  evaluation {move.evaluation}: {move.from} → {move.to}, {binReason(move.reason)}, {when(move.moved_at)}
                </li>
              ))}
            </ul>
          )}
        </div>
        <div>
          <Attempts problemId={problemId} target={target} />
        </div>
      </div>
    </Card>
  );
}
