import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { rangeOf, settingsOf } from './settings.ts';

const schema = z.object({
  waitMs: z.coerce.number().int().min(1_000).max(60_000).default(5_000).meta({ unit: 'ms' }).describe('How long.'),
  share: z.coerce.number().gt(0.5).lt(1).default(0.95).meta({ unit: 'of all' }).describe('How much.'),
  strict: z.stringbool().default(false).describe('Whether.'),
  level: z.enum(['low', 'high']).default('low').describe('Which.'),
  token: z.string().min(16).optional().meta({ secret: true }).describe('Secret.'),
  database: z.url({ protocol: /^postgres$/ }).describe('Where.'),
  names: z
    .string()
    .default('')
    .transform((text) => text.split(','))
    .pipe(z.array(z.string()))
    .describe('List.'),
});

describe('the settings of a schema', () => {
  const settings = settingsOf(schema, 'score');

  it('have variable, description, type, unit, default and range', () => {
    expect(settings[0]).toEqual({
      variable: 'TIDEMARK_SCORE_WAIT_MS',
      description: 'How long.',
      type: 'whole number',
      unit: 'ms',
      default: 5_000,
      minimum: 1_000,
      maximum: 60_000,
      required: false,
      secret: false,
    });
  });

  it('are of a type that says what to type', () => {
    expect(settings.map(({ type }) => type)).toEqual([
      'whole number',
      'number',
      'yes or no',
      'choice',
      'text',
      'address',
      'text',
    ]);
    expect(settings.map(({ default: fallback }) => fallback)).toEqual([
      5_000,
      0.95,
      false,
      'low',
      undefined,
      undefined,
      '',
    ]);
  });

  it('say which of them must be set, and which are secret', () => {
    expect(settings.filter(({ required }) => required).map(({ variable }) => variable)).toEqual([
      'TIDEMARK_SCORE_DATABASE',
    ]);
    expect(settings.filter(({ secret }) => secret).map(({ variable }) => variable)).toEqual(['TIDEMARK_SCORE_TOKEN']);
  });

  it('have their range in words', () => {
    expect(settings.map(rangeOf)).toEqual([
      '1,000 to 60,000 ms',
      '0.5 to 1 of all',
      'true | false',
      'low | high',
      'at least 16 characters',
      '',
      '',
    ]);
  });
});
