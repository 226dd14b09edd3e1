import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { askJson } from '../api/client.ts';
import { BINS, type Evaluation } from '../api/types.ts';
import { binColor } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { useWidth } from '../ui/use-width.ts';
import { count, counted, when } from '../words.ts';
import classes from './targets.module.css';

const WIDEST = 620;
const HEIGHT = 230;
const PLOT = { left: 34, right: 8, top: 8, bottom: 24 };

/** Measured problems by bin at each evaluation, one bin on the other. */
export function BinsOverTime({ slug }: { readonly slug: string }) {
  const path = `/v1/console/targets/${slug}/evaluations`;
  const { data, error, refetch } = useQuery({
    queryKey: ['live', path],
    queryFn: ({ signal }) => askJson<{ evaluations: readonly Evaluation[] }>(path, { signal }),
  });
  if (error !== null) return <ErrorNote error={error} retry={() => void refetch()} />;
  if (data === undefined) return <Skeleton height={230} />;
  if (data.evaluations.length === 0) {
    return <Empty title="No evaluation yet.">The first comes a minute after the first graded attempts.</Empty>;
  }
  return <Chart evaluations={data.evaluations} />;
}

function Chart({ evaluations }: { readonly evaluations: readonly Evaluation[] }) {
  const { ref, width } = useWidth(WIDEST);
  const totals = evaluations.map(({ bins }) => BINS.reduce((sum, bin) => sum + (bins[bin] ?? 0), 0));
  const most = Math.max(1, ...totals);
  const last = evaluations.length - 1;
  const x = (index: number) => PLOT.left + ((width - PLOT.left - PLOT.right) * index) / Math.max(1, last);
  const y = (problems: number) => HEIGHT - PLOT.bottom - ((HEIGHT - PLOT.top - PLOT.bottom) * problems) / most;
  const below = evaluations.map(() => 0);
  const areas = BINS.map((bin) => {
    const from = [...below];
    for (const [index, { bins }] of evaluations.entries()) below[index] = (below[index] ?? 0) + (bins[bin] ?? 0);
    return { bin, path: areaPath(from, [...below], x, y, last === 0 ? width - PLOT.right : undefined) };
  });
  const [first, newest] = [evaluations[0], evaluations[last]];
  return (
    <div ref={ref}>
      <svg className={classes.chart} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={inWords(newest)}>
        {[0, 0.5, 1].map((share) => (
          <g key={share}>
            <line
              className={classes.grid}
              x1={PLOT.left}
              x2={width - PLOT.right}
              y1={y(share * most)}
              y2={y(share * most)}
            />
            <text className={classes.axis} x={PLOT.left - 6} y={y(share * most) + 4} textAnchor="end">
              {count(Math.round(share * most))}
            </text>
          </g>
        ))}
        {areas.map(({ bin, path }) => (
          <path key={bin} d={path} fill={binColor(bin)} fillOpacity={0.85}>
            <title>{bin}</title>
          </path>
        ))}
        <text className={classes.axis} x={PLOT.left} y={HEIGHT - 6}>
          no. {first?.number}, {first?.checkpoint}
        </text>
        {last > 0 && (
          <text className={classes.axis} x={width - PLOT.right} y={HEIGHT - 6} textAnchor="end">
            {width > 400
              ? `no. ${newest?.number}, ${newest?.checkpoint}, ${when(newest?.evaluated_at ?? null)}`
              : `no. ${newest?.number}`}
          </text>
        )}
      </svg>
    </div>
  );
}

/** @param end where the block ends as which a single evaluation is drawn */
function areaPath(
  from: readonly number[],
  to: readonly number[],
  x: (index: number) => number,
  y: (problems: number) => number,
  end: number | undefined,
): string {
  const at = (index: number) => (end === undefined ? [x(index)] : [x(0), end]);
  const upper = to.flatMap((problems, index) => at(index).map((px) => `${px},${y(problems)}`));
  const lower = from.flatMap((problems, index) => at(index).map((px) => `${px},${y(problems)}`)).toReversed();
  return `M${[...upper, ...lower].join('L')}Z`;
}

function inWords(evaluation: Evaluation | undefined): string {
  const bins = evaluation?.bins ?? {};
  const parts = BINS.filter((bin) => (bins[bin] ?? 0) > 0).map((bin) => `${count(bins[bin] ?? 0)} ${bin}`);
  return `Bins over time; at the newest evaluation ${parts.join(', ') || counted(0, 'problem')}`;
}
