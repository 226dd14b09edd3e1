import { describe, expect, it } from 'vitest';
import type { EndpointCall } from './model-endpoint.ts';
import { waysOfAsking } from './ways-of-asking.ts';

const call: EndpointCall = {
  baseUrl: 'http://127.0.0.1/v1',
  model: 'm',
  shape: 'chat',
  prompt: 'p',
  choices: 8,
  temperature: 0.7,
  topP: 0.9,
  maxTokens: 100,
  stopSequences: ['\nclass'],
  seed: 5,
  tokenLimitName: 'max_tokens',
};

describe('ways of asking', () => {
  it('begin with what we would like and end with what anything understands', () => {
    const ways = waysOfAsking(call, 0).map(({ call: put }) => put);
    expect(ways[0]).toEqual(call);
    expect(ways.at(-1)).toMatchObject({ choices: 1, seed: undefined, tokenLimitName: 'max_completion_tokens' });
  });

  it('never give up the sampling settings', () => {
    for (const { call: put } of waysOfAsking(call, 0)) {
      expect(put).toMatchObject({ temperature: 0.7, topP: 0.9, maxTokens: 100, stopSequences: ['\nclass'] });
    }
  });

  it('leave out what changes nothing', () => {
    expect(waysOfAsking({ ...call, choices: 1, seed: undefined }, 0)).toHaveLength(2);
  });

  it('go on from the way that worked', () => {
    expect(waysOfAsking(call, 2).map(({ way }) => way)).toEqual([2, 3, 4]);
  });
});
