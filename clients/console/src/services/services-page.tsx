import { Skeleton, Stack, Title } from '@mantine/core';
import { useLive } from '../api/live.ts';
import type { ServiceState } from '../api/types.ts';
import { Card, Tag } from '../ui/card.tsx';
import { usePageTitle } from '../ui/shell.tsx';
import { count, plain } from '../words.ts';
import { healthOf } from './health.ts';
import classes from './services.module.css';

/** Each service: whether it answers, how far it is behind, what it has in hand. */
export function ServicesPage() {
  usePageTitle('Services');
  const { status } = useLive();
  return (
    <Stack gap="lg">
      <Title order={1} size="h3">
        Services
      </Title>
      {status === undefined ? (
        <Skeleton height={320} radius="md" />
      ) : (
        <Card title="What each has in hand" note={status.quiet ? 'nothing is on its way' : 'something is on its way'}>
          <div className={classes.scroll} tabIndex={0} role="region" aria-label="Services, one a row">
            <table className={classes.table}>
              <thead>
                <tr>
                  <th scope="col">Service</th>
                  <th scope="col">Health</th>
                  <th scope="col" data-number>
                    Behind
                  </th>
                  <th scope="col" data-number>
                    To publish
                  </th>
                  <th scope="col" data-number>
                    Jobs
                  </th>
                  <th scope="col" data-number>
                    Laid aside
                  </th>
                  <th scope="col">Where</th>
                </tr>
              </thead>
              <tbody>
                {status.services.map((service) => (
                  <ServiceRow key={service.service} service={service} />
                ))}
              </tbody>
            </table>
          </div>
        </Card>
      )}
    </Stack>
  );
}

function ServiceRow({ service }: { readonly service: ServiceState }) {
  const { color, words } = healthOf(service);
  const numbers = [
    ['Behind', service.lag],
    ['To publish', service.outbox],
    ['Jobs', service.jobs],
    ['Laid aside', service.dead_letters],
  ] as const;
  return (
    <tr>
      <td>
        <strong>{service.service}</strong>
      </td>
      <td>
        <Tag color={color}>{words}</Tag>
      </td>
      {numbers.map(([label, number]) => (
        <td key={label} data-number data-label={label}>
          {number === undefined ? '–' : count(number)}
        </td>
      ))}
      <td className={classes.topics} data-wide>
        {service.error ?? whereOf(service)}
      </td>
    </tr>
  );
}

function whereOf(service: ServiceState): string {
  const parts = [service.lag_by_topic, service.jobs_by_kind, service.pending, service.dead_letters_by_topic].flatMap(
    (counts) => Object.entries(counts ?? {}),
  );
  return parts.map(([name, number]) => `${plain(name)} ${count(number)}`).join(', ');
}
