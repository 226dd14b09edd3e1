import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback, useHotkeys } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { askJson } from '../api/client.ts';
import { useLive } from '../api/live.ts';
import type { StateCount } from '../api/types.ts';
import { count, reasonWord, stateWord } from '../words.ts';
import classes from './problems.module.css';

export const FILTERS = ['q', 'state', 'held_out', 'stage', 'reason', 'source'] as const;
type Query = Readonly<Record<(typeof FILTERS)[number], string>>;
type Change = (changes: Partial<Record<(typeof FILTERS)[number], string>>, how?: { replace: boolean }) => void;

/** What narrows the list; the choices say how many problems each holds. */
export function Filters({ query, change }: { readonly query: Query; readonly change: Change }) {
  const { status } = useLive();
  const funnel = status?.funnel ?? [];
  const { data } = useQuery({
    queryKey: ['live', 'sources'],
    queryFn: ({ signal }) => askJson<{ sources: readonly string[] }>('/v1/console/sources', { signal }),
  });
  const reasons = reasonChoices(funnel, query.state);
  return (
    <search className={classes.filters}>
      <SearchBox value={query.q} onChange={(q) => change({ q }, { replace: true })} />
      <Select
        aria-label="State"
        placeholder="any state"
        clearable
        data={stateChoices(funnel)}
        value={stateValue(query)}
        onChange={(value) => change({ ...stateQuery(value), reason: '', stage: '' })}
      />
      <Select
        aria-label="Reason"
        placeholder="any reason"
        clearable
        searchable
        data={reasons}
        value={query.reason === '' ? null : `${query.stage} ${query.reason}`}
        onChange={(value) => {
          const [stage = '', reason = ''] = value?.split(' ') ?? [];
          change({ stage, reason });
        }}
      />
      <Select
        aria-label="Source"
        placeholder="any source"
        clearable
        searchable
        data={[...(data?.sources ?? [])]}
        value={query.source || null}
        onChange={(value) => change({ source: value ?? '' })}
      />
    </search>
  );
}

function SearchBox({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(value);
  const report = useDebouncedCallback(onChange, 250);
  useEffect(() => setText(value), [value]);
  useHotkeys([['/', () => input.current?.focus()]]);
  return (
    <TextInput
      ref={input}
      type="search"
      aria-label="Title, record id or problem id"
      placeholder="Title, record id or problem id"
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        report(currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // Of itself the key would empty the field.
        event.preventDefault();
        event.currentTarget.blur();
      }}
    />
  );
}

const stateValue = ({ state, held_out: heldOut }: Query): string | null =>
  state === 'ready' && heldOut !== '' ? `ready:${heldOut}` : state || null;

function stateQuery(value: string | null): Pick<Query, 'state' | 'held_out'> {
  const [state = '', heldOut = ''] = value?.split(':') ?? [];
  return { state, held_out: heldOut };
}

function stateChoices(funnel: readonly StateCount[]) {
  const problems = (state: string, reason?: string) =>
    funnel
      .filter((row) => row.state === state && (reason === undefined || row.reason === reason))
      .reduce((sum, row) => sum + row.problems, 0);
  return [
    { value: 'ready', label: `ready (${count(problems('ready'))})` },
    { value: 'ready:false', label: `for training (${count(problems('ready', 'train'))})` },
    { value: 'ready:true', label: `held out (${count(problems('ready', 'held_out'))})` },
    ...['waiting', 'rejected', 'withdrawn', 'dead_lettered'].map((state) => ({
      value: state,
      label: `${stateWord(state)} (${count(problems(state))})`,
    })),
  ];
}

/** Reasons that there are, in the chosen state or in any. */
function reasonChoices(funnel: readonly StateCount[], state: string) {
  const rows = funnel.filter((row) => row.state !== 'ready' && (state === '' || row.state === state));
  const byValue = Map.groupBy(rows, ({ stage, reason }) => `${stage} ${reason}`);
  return [...byValue].map(([value, [row, ...others]]) => ({
    value,
    label: `${reasonWord(row?.state ?? '', row?.reason ?? '')} (${count([row, ...others].reduce((sum, each) => sum + (each?.problems ?? 0), 0))})`,
  }));
}
