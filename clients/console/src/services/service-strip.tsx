import { Link } from 'wouter';
import type { ServiceState } from '../api/types.ts';
import { Card, Tag } from '../ui/card.tsx';
import { counted } from '../words.ts';
import { healthOf } from './health.ts';
import classes from './services.module.css';

/** All services on one line. */
export function ServiceStrip({ services }: { readonly services: readonly ServiceState[] }) {
  const away = services.filter(({ reachable }) => !reachable).length;
  return (
    <Card
      title="Services"
      note={<Link href="/services">{away === 0 ? 'all answer' : `${counted(away, 'does', 'do')} not answer`}</Link>}
    >
      <ul className={classes.strip}>
        {services.map((service) => {
          const { color, words } = healthOf(service);
          return (
            <li key={service.service}>
              <Tag color={color}>
                <span>
                  {service.service} <span className={classes.words}>{words}</span>
                </span>
              </Tag>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
