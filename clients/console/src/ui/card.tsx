import type { ReactNode } from 'react';
import { Link } from 'wouter';
import classes from './card.module.css';

/** A part of a page with its heading. */
export function Card({
  title,
  note,
  children,
  id,
}: {
  readonly title: string;
  readonly note?: ReactNode;
  readonly children: ReactNode;
  readonly id?: string;
}) {
  return (
    <section className={classes.card} aria-label={title} id={id}>
      <div className={classes.head}>
        <h2>{title}</h2>
        {note !== undefined && <span className={classes.note}>{note}</span>}
      </div>
      {children}
    </section>
  );
}

export interface Fact {
  readonly label: string;
  readonly value: string;
  readonly small?: string | undefined;
  readonly color?: string;
  readonly href?: string | undefined;
}

/** Numbers that stand side by side. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <div className={classes.facts}>
      {facts.map((fact) =>
        fact.href === undefined ? (
          <div key={fact.label} className={classes.fact}>
            <FactBody {...fact} />
          </div>
        ) : (
          <Link key={fact.label} className={classes.fact} href={fact.href}>
            <FactBody {...fact} />
          </Link>
        ),
      )}
    </div>
  );
}

function FactBody({ label, value, small, color }: Fact) {
  return (
    <>
      <div className={classes.label}>
        {color !== undefined && <Dot color={color} />}
        {label}
      </div>
      <div className={classes.value}>{value}</div>
      {small !== undefined && <div className={classes.small}>{small}</div>}
    </>
  );
}

export function Dot({ color }: { readonly color: string }) {
  return <span className={classes.dot} style={{ background: color }} aria-hidden />;
}

/** A word with its colour beside it: the colour alone never carries the meaning. */
export function Tag({ color, children }: { readonly color: string; readonly children: ReactNode }) {
  return (
    <span className={classes.tag}>
      <Dot color={color} />
      {children}
    </span>
  );
}

export const binColor = (bin: string): string => `var(--bin-${bin}, var(--way))`;

export function stateColor(state: string, heldOut = false): string {
  if (state === 'ready') return heldOut ? 'var(--held-out)' : 'var(--ready)';
  return `var(--${state.replace('_', '-')}, var(--way))`;
}

export function BinTag({ bin, predicted = false }: { readonly bin: string; readonly predicted?: boolean }) {
  return (
    <Tag color={binColor(bin)}>
      {bin}
      {predicted && <span className={classes.small}>predicted</span>}
    </Tag>
  );
}
