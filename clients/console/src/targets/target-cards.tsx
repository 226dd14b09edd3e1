import { Link } from 'wouter';
import { BINS, type TargetCounts } from '../api/types.ts';
import { BinTag, binColor, Card } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { count, counted, percent } from '../words.ts';
import classes from './targets.module.css';

/** Each target at a glance: where its working set stands. */
export function TargetCards({ targets }: { readonly targets: readonly TargetCounts[] }) {
  if (targets.length === 0) {
    return (
      <Card title="Targets">
        <Empty title="No target is declared.">
          Difficulty is relative to a model: <code>npx tidemark target declare my-model</code>
        </Empty>
      </Card>
    );
  }
  return (
    <div className={classes.cards}>
      {targets.map((target) => (
        <Link key={target.target} href={`/targets/${target.target}`} className={classes.card}>
          <div className={classes.name}>
            <span>{target.target}</span>
            <span className={classes.small}>{target.checkpoint}</span>
          </div>
          <BinBar target={target} />
          <ul className={classes.legend}>
            {BINS.filter((bin) => (target.bins[bin]?.curated ?? 0) > 0).map((bin) => (
              <li key={bin}>
                <BinTag bin={bin} /> <span className="numbers">{count(target.bins[bin]?.curated ?? 0)}</span>
              </li>
            ))}
          </ul>
          <div className={classes.small} style={{ marginTop: '0.6rem' }}>
            {attemptsIn(target)}; {counted(target.moves, 'move')} between bins
          </div>
        </Link>
      ))}
    </div>
  );
}

export function attemptsIn({ groups, attempts, passes }: TargetCounts): string {
  if (attempts === 0) return 'no attempts yet';
  return `${counted(attempts, 'attempt')} in ${counted(groups, 'group')}, ${percent(passes / attempts, 1)} passed`;
}

/** The working set by bin; what the prior alone places is paler. */
export function BinBar({ target }: { readonly target: TargetCounts }) {
  const total = Math.max(1, target.curated);
  return (
    <div className={classes.bar} aria-hidden>
      {BINS.flatMap((bin) => {
        const { curated = 0, predicted = 0 } = target.bins[bin] ?? {};
        return [[curated - predicted, false] as const, [predicted, true] as const].map(([problems, isPredicted]) =>
          problems === 0 ? null : (
            <span
              key={`${bin} ${isPredicted}`}
              className={classes.part}
              data-predicted={isPredicted || undefined}
              style={{ width: `${(100 * problems) / total}%`, background: binColor(bin) }}
            />
          ),
        );
      })}
    </div>
  );
}
