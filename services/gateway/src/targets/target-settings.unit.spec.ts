import { describe, expect, it } from 'vitest';
import { settingsHash, settingsJson, settingsMessage, targetSettingsSchema } from './target-settings.ts';

const hashOf = (body: unknown) => settingsHash(settingsMessage('t', targetSettingsSchema.parse(body)));

describe('the settings of a target', () => {
  it('have a default for everything', () => {
    const message = settingsMessage('t', targetSettingsSchema.parse({}));
    expect(message).toMatchObject({ groupSize: 8, retention: 0.9 });
    expect(message.bins).toMatchObject({ mastered: 0.9, easy: 0.625, medium: 0.125, unsolvedAttempts: 8, enter: 0.7 });
    expect(message.selection).toMatchObject({ policy: 'edge', workingSet: 20_000, syntheticShare: 0 });
  });

  it('hash the same whether a default is written out or not, and in whatever order', () => {
    expect(hashOf({ group_size: 8, bins: { easy: 0.625 } })).toBe(hashOf({}));
    expect(hashOf({ selection: { parameters: { a: 1, b: 2 } } })).toBe(
      hashOf({ selection: { parameters: { b: 2, a: 1 } } }),
    );
  });

  it('hash differently when anything but the first checkpoint differs', () => {
    expect(hashOf({ group_size: 4 })).not.toBe(hashOf({}));
    expect(hashOf({ sampling: { stop_sequences: ['\ndef'] } })).not.toBe(hashOf({}));
    expect(hashOf({ checkpoint: 'step-0' })).toBe(hashOf({}));
  });

  it('are shown in the words in which they are declared', () => {
    const body = {
      display_name: 'CodeGen',
      answer_form: 'completion',
      sampling: { temperature: 0.2, stop_sequences: ['\n#'] },
    };
    const shown = settingsJson(settingsMessage('t', targetSettingsSchema.parse(body)));
    expect(targetSettingsSchema.parse(shown)).toEqual(targetSettingsSchema.parse(body));
  });

  it('name the policies that there are when another is asked for', () => {
    const result = targetSettingsSchema.safeParse({ selection: { policy: 'dapo' } });
    expect(result.error?.issues[0]?.message).toBe('there is no such policy; there is edge');
  });

  it.each([
    [{ bins: { easy: 0.05 } }, 'bins'],
    [{ group_size: 0 }, 'group_size'],
    [{ unknown: 1 }, ''],
    [{ endpoint_url: 'ftp://x' }, 'endpoint_url'],
    [{ retention: 1.1 }, 'retention'],
    [{ retention: 0 }, 'retention'],
    [{ selection: { policy: 'dapo' } }, 'selection.policy'],
  ])('refuse %j and name the field', (body, field) => {
    const result = targetSettingsSchema.safeParse(body);
    expect(result.success).toBe(false);
    expect(result.error?.issues[0]?.path.map(String).join('.')).toBe(field);
  });
});
