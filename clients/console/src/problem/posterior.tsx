import { useQuery } from '@tanstack/react-query';
import { askJson, pathWith } from '../api/client.ts';
import type { Difficulty, PosteriorPoint } from '../api/types.ts';
import { binColor } from '../ui/card.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { useWidth } from '../ui/use-width.ts';
import { percent } from '../words.ts';
import { betaShape } from './beta.ts';
import classes from './problem.module.css';

const WIDEST = 560;
const HEIGHT = 170;
const PLOT = { left: 36, right: 20, top: 10, bottom: 24 };
/** Where bins begin by default; a target may have set others. */
const EDGES = [0, 0.125, 0.625, 0.9, 1];
const BANDS = ['hard', 'medium', 'easy', 'mastered'];

const acrossOf = (width: number) => (share: number) => PLOT.left + (width - PLOT.left - PLOT.right) * share;
const up = (share: number) => HEIGHT - PLOT.bottom - (HEIGHT - PLOT.top - PLOT.bottom) * share;

/** What is believed of the pass rate now. */
export function PosteriorShape({ difficulty }: { readonly difficulty: Difficulty }) {
  const { ref, width } = useWidth(WIDEST);
  const across = acrossOf(width);
  const { alpha, beta, mean, interval } = difficulty;
  const shape = betaShape(alpha, beta, 160);
  const line = shape.map(({ x, density }) => `${across(x)},${up(0.94 * density)}`).join('L');
  const words = `Posterior of the pass rate: mean ${percent(mean)}${
    interval === null
      ? ''
      : `, ${percent(interval.level)} interval ${percent(interval.low)} to ${percent(interval.high)}`
  }`;
  return (
    <div ref={ref}>
      <svg className={classes.chart} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={words}>
        {BANDS.map((bin, index) => {
          const [from = 0, to = 1] = [EDGES[index], EDGES[index + 1]];
          return (
            <g key={bin}>
              <rect
                x={across(from)}
                y={PLOT.top}
                width={across(to) - across(from)}
                height={HEIGHT - PLOT.top - PLOT.bottom}
                fill={binColor(bin)}
                fillOpacity={0.08}
              />
              <text className={classes.axis} x={across(from) + 4} y={PLOT.top + 12}>
                {to - from > 0.12 ? bin : ''}
              </text>
            </g>
          );
        })}
        <path
          d={`M${across(0)},${up(0)}L${line}L${across(1)},${up(0)}Z`}
          fill={binColor(difficulty.bin)}
          fillOpacity={0.25}
        />
        <path d={`M${line}`} fill="none" stroke={binColor(difficulty.bin)} strokeWidth={2} />
        {interval !== null && (
          <line
            x1={across(interval.low)}
            x2={across(interval.high)}
            y1={up(0)}
            y2={up(0)}
            stroke={binColor(difficulty.bin)}
            strokeWidth={5}
            strokeLinecap="round"
          />
        )}
        <line
          x1={across(mean)}
          x2={across(mean)}
          y1={up(0)}
          y2={up(0.94)}
          stroke="currentColor"
          strokeDasharray="3 3"
        />
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <text key={share} className={classes.axis} x={across(share)} y={HEIGHT - 6} textAnchor="middle">
            {percent(share)}
          </text>
        ))}
      </svg>
    </div>
  );
}

/** How the belief went from evaluation to evaluation. */
export function PosteriorOverTime({ problemId, target }: { readonly problemId: string; readonly target: string }) {
  const { ref, width } = useWidth(WIDEST);
  const path = pathWith(`/v1/console/problems/${problemId}/posterior`, { target });
  const { data, error, refetch } = useQuery({
    queryKey: ['live', path],
    queryFn: ({ signal }) => askJson<{ points: readonly PosteriorPoint[] }>(path, { signal }),
  });
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  const points = data?.points ?? [];
  const across = acrossOf(width);
  if (points.length < 2) return null;
  const x = (index: number) => across(index / (points.length - 1));
  const lineOf = (valueOf: (point: PosteriorPoint) => number) =>
    points.map((point, index) => `${x(index)},${up(valueOf(point))}`);
  const low = lineOf(({ interval, mean }) => interval?.low ?? mean);
  const high = lineOf(({ interval, mean }) => interval?.high ?? mean);
  const [first, last] = [points[0], points.at(-1)];
  const words = `Pass rate from evaluation to evaluation: ${points.map(({ mean }) => percent(mean)).join(', ')}`;
  return (
    <div ref={ref}>
      <svg className={classes.chart} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={words}>
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line x1={PLOT.left} x2={width - PLOT.right} y1={up(share)} y2={up(share)} stroke="var(--line)" />
            <text className={classes.axis} x={PLOT.left - 6} y={up(share) + 4} textAnchor="end">
              {percent(share)}
            </text>
          </g>
        ))}
        <path d={`M${[...high, ...low.toReversed()].join('L')}Z`} fill="var(--ready)" fillOpacity={0.16} />
        <path d={`M${lineOf(({ mean }) => mean).join('L')}`} fill="none" stroke="var(--ready)" strokeWidth={2} />
        {points.map((point, index) => (
          <circle key={point.evaluation} cx={x(index)} cy={up(point.mean)} r={4} fill={binColor(point.bin)}>
            <title>{`evaluation ${point.evaluation}, ${point.checkpoint}: ${percent(point.mean)}, ${point.bin}`}</title>
          </circle>
        ))}
        <text className={classes.axis} x={PLOT.left} y={HEIGHT - 6}>
          evaluation {first?.evaluation}
        </text>
        <text className={classes.axis} x={width - PLOT.right} y={HEIGHT - 6} textAnchor="end">
          {last?.evaluation}
        </text>
      </svg>
    </div>
  );
}
