import type { EndpointCall } from './model-endpoint.ts';

type Way = (call: EndpointCall) => EndpointCall;

const oneChoice: Way = (call) => ({ ...call, choices: 1 });
const withoutSeed: Way = (call) => ({ ...call, seed: undefined });
const newTokenLimit: Way = (call) => ({ ...call, tokenLimitName: 'max_completion_tokens' });

/**
 * Ways of putting a call, from what we would like to what anything understands. Sampling settings (temperature, nucleus
 * mass, token limit) are never given up: with other settings it would be another model that is measured.
 */
const WAYS: readonly Way[] = [
  (call) => call,
  oneChoice,
  (call) => withoutSeed(oneChoice(call)),
  (call) => newTokenLimit(oneChoice(call)),
  (call) => newTokenLimit(withoutSeed(oneChoice(call))),
];

/** A call and the number of its way. */
export interface PutCall {
  readonly way: number;
  readonly call: EndpointCall;
}

/** The calls to try, one after the other, from the way that worked last; a way that changes nothing is left out. */
export function waysOfAsking(call: EndpointCall, from: number): readonly PutCall[] {
  const seen = new Set<string>();
  return WAYS.map((way, index) => ({ way: index, call: way(call) })).filter(({ way, call: put }) => {
    const looks = `${put.choices} ${put.seed === undefined} ${put.tokenLimitName}`;
    if (way < from || seen.has(looks)) return false;
    seen.add(looks);
    return true;
  });
}
