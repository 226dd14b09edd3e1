import { Skeleton, Stack, Tabs, Text, Title } from '@mantine/core';
import { useLive } from '../api/live.ts';
import { BINS, type TargetCounts } from '../api/types.ts';
import { BinTag, Card, Facts } from '../ui/card.tsx';
import { Empty } from '../ui/empty.tsx';
import { usePageTitle } from '../ui/shell.tsx';
import { useAddressQuery } from '../ui/use-query.ts';
import { count, counted, percent } from '../words.ts';
import { BinsOverTime } from './bins-over-time.tsx';
import { Moves } from './moves.tsx';
import { BinBar } from './target-cards.tsx';
import classes from './targets.module.css';
import { WorkingSet } from './working-set.tsx';

/** One target: its bins, how they changed and why, and its working set. */
export function TargetPage({ slug }: { readonly slug: string }) {
  usePageTitle(slug);
  const { status } = useLive();
  const target = status?.targets.find((candidate) => candidate.target === slug);
  const [{ view }, change] = useAddressQuery(['view']);
  if (status === undefined) return <Skeleton height={420} radius="md" />;
  if (target === undefined) {
    return (
      <Empty title={`There is no target ${slug}.`}>
        Declare it: <code>npx tidemark target declare {slug}</code>
      </Empty>
    );
  }
  return (
    <Stack gap="lg">
      <div>
        <Title order={1} size="h3">
          {slug}
        </Title>
        <Text c="dimmed" size="sm">
          version {target.version}, checkpoint {target.checkpoint}
        </Text>
      </div>
      <Facts facts={factsOf(target)} />
      <div className={classes.columns}>
        <Card title="Bins now" note={target.curated > 0 ? <PredictedNote /> : undefined}>
          <BinBar target={target} />
          <BinTable target={target} />
        </Card>
        <Card title="Bins over time" note={counted(target.evaluations, 'evaluation')}>
          <BinsOverTime slug={slug} />
        </Card>
      </div>
      <Tabs
        keepMounted={false}
        value={view === 'moves' ? 'moves' : 'working-set'}
        onChange={(tab) => change({ view: tab === 'moves' ? 'moves' : '', bin: '', to: '' } as never)}
      >
        <Tabs.List>
          <Tabs.Tab value="working-set">Working set</Tabs.Tab>
          <Tabs.Tab value="moves">Moves</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="working-set" pt="md">
          <WorkingSet slug={slug} />
        </Tabs.Panel>
        <Tabs.Panel value="moves" pt="md">
          <Moves slug={slug} />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

const PredictedNote = () => <span>paler: placed by the prior</span>;

function factsOf(target: TargetCounts) {
  const { attempts, passes, environment_failures: failures } = target;
  return [
    { label: 'Working set', value: count(target.curated), small: `${count(target.reserve)} in reserve` },
    { label: 'Panel', value: count(target.panel), small: 'measures, never trained on' },
    { label: 'Set aside', value: count(target.set_aside), small: 'mastered or unsolved' },
    {
      label: 'Attempts',
      value: count(attempts),
      small:
        failures > 0 ? `${count(failures)} failures of ours, not counted` : `in ${counted(target.groups, 'group')}`,
    },
    { label: 'Passed', value: attempts === 0 ? '–' : percent(passes / attempts, 1), small: 'of all attempts so far' },
    { label: 'Moves', value: count(target.moves), small: 'between bins' },
  ];
}

function BinTable({ target }: { readonly target: TargetCounts }) {
  return (
    <table className={classes.bins} style={{ marginTop: '0.75rem' }}>
      <thead>
        <tr>
          <th scope="col">Bin</th>
          <th scope="col">Measured</th>
          <th scope="col">In the set</th>
          <th scope="col">Predicted</th>
        </tr>
      </thead>
      <tbody>
        {BINS.map((bin) => {
          const { measured = 0, curated = 0, predicted = 0 } = target.bins[bin] ?? {};
          return (
            <tr key={bin}>
              <th scope="row">
                <BinTag bin={bin} />
              </th>
              <td>{count(measured)}</td>
              <td>{count(curated)}</td>
              <td>{count(predicted)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
