import type { Interval } from '../api/types.ts';
import { percent } from '../words.ts';
import classes from './interval-bar.module.css';

/** A pass rate with how far it is known. */
export function IntervalBar({ mean, interval }: { readonly mean: number; readonly interval: Interval | null }) {
  const { low, high } = interval ?? { low: mean, high: mean };
  const words =
    interval === null
      ? percent(mean)
      : `${percent(mean)}, ${percent(interval.level)} interval ${percent(low)} to ${percent(high)}`;
  return (
    <span className={classes.row} title={words}>
      <span className={classes.track} aria-hidden>
        <span className={classes.span} style={{ left: percent(low, 1), width: percent(high - low, 1) }} />
        <span className={classes.mean} style={{ left: percent(mean, 1) }} />
      </span>
      <span className={classes.words}>
        {percent(mean)}{' '}
        <span style={{ color: 'var(--mantine-color-dimmed)' }}>{`${percent(low)}–${percent(high)}`}</span>
      </span>
    </span>
  );
}
