import { Select, Skeleton, Stack } from '@mantine/core';
import { useLive } from '../api/live.ts';
import type { Status } from '../api/types.ts';
import { ServiceStrip } from '../services/service-strip.tsx';
import { TargetCards } from '../targets/target-cards.tsx';
import { Card, type Fact, Facts } from '../ui/card.tsx';
import { usePageTitle } from '../ui/shell.tsx';
import { useAddressQuery } from '../ui/use-query.ts';
import { count, counted, percent, rate } from '../words.ts';
import { FirstSteps } from './first-steps.tsx';
import { flowOf } from './flow-model.ts';
import { FlowTable } from './flow-table.tsx';
import { Sankey } from './sankey.tsx';
import classes from './flow.module.css';

/** What went where, and why. */
export function FlowPage() {
  usePageTitle('');
  const { status } = useLive();
  return (
    <Stack gap="lg">
      <h1 className="only-read">The flow of problems</h1>
      {status === undefined ? <Skeleton height={420} radius="md" /> : <Shown status={status} />}
    </Stack>
  );
}

function Shown({ status }: { readonly status: Status }) {
  const [{ target }, change] = useAddressQuery(['target']);
  if (status.problems === 0 && (status.intake.problems_refused ?? 0) === 0) {
    return (
      <>
        <FirstSteps status={status} />
        <ServiceStrip services={status.services} />
      </>
    );
  }
  const names = status.targets.map((candidate) => candidate.target);
  const chosen = names.includes(target) ? target : names[0];
  const flow = flowOf(status, chosen);
  return (
    <>
      <Facts facts={factsOf(status)} />
      <Card title="What went where, and why" note={<Rates rates={status.rates_per_second} />}>
        {names.length > 1 && (
          <Select
            className={classes.target}
            label="Working set of"
            size="xs"
            data={names}
            value={chosen ?? null}
            allowDeselect={false}
            onChange={(value) => change({ target: value ?? '' })}
          />
        )}
        <div className={classes.wide}>
          <Sankey flow={flow} />
        </div>
        <FlowTable flow={flow} />
      </Card>
      <TargetCards targets={status.targets} />
      <ServiceStrip services={status.services} />
    </>
  );
}

function factsOf({ funnel, problems, intake, services }: Status): Fact[] {
  const sum = (state: string, reason?: string) =>
    funnel
      .filter((row) => row.state === state && (reason === undefined || row.reason === reason))
      .reduce((total, row) => total + row.problems, 0);
  const share = (part: number) => (problems === 0 ? undefined : `${percent(part / problems)} of all`);
  const refused = intake.problems_refused ?? 0;
  const train = sum('ready', 'train');
  const rejected = sum('rejected');
  const aside = services.reduce((total, { dead_letters: letters = 0 }) => total + letters, 0);
  const withdrawn = sum('withdrawn');
  return [
    {
      label: 'Problems',
      value: count(problems),
      small: refused > 0 ? `and ${count(refused)} refused at the door` : 'none refused at the door',
      href: '/problems',
    },
    {
      label: 'For training',
      value: count(train),
      small: share(train),
      color: 'var(--ready)',
      href: '/problems?state=ready&held_out=false',
    },
    {
      label: 'Held out',
      value: count(sum('ready', 'held_out')),
      small: 'never shown to a trainer',
      color: 'var(--held-out)',
      href: '/problems?state=ready&held_out=true',
    },
    {
      label: 'Rejected',
      value: count(rejected),
      small: share(rejected),
      color: 'var(--rejected)',
      href: '/problems?state=rejected',
    },
    {
      label: 'Waiting',
      value: count(sum('waiting')),
      small: 'each says for what',
      color: 'var(--waiting)',
      href: '/problems?state=waiting',
    },
    ...(withdrawn > 0
      ? [
          {
            label: 'Withdrawn',
            value: count(withdrawn),
            small: share(withdrawn),
            color: 'var(--withdrawn)',
            href: '/problems?state=withdrawn',
          },
        ]
      : []),
    {
      label: 'Laid aside',
      value: count(aside),
      small: aside === 0 ? 'nothing went wrong' : counted(aside, 'record to look at', 'records to look at'),
      color: 'var(--dead-lettered)',
      href: '/dead-letters',
    },
  ];
}

function Rates({ rates }: { readonly rates: Readonly<Record<string, number>> }) {
  const words = { statuses: 'decisions', groups: 'groups of attempts', estimates: 'estimates' };
  return (
    <span className="numbers">
      {Object.entries(words)
        .map(([name, word]) => `${rate(rates[name] ?? 0)} ${word}/s`)
        .join(' · ')}
    </span>
  );
}
