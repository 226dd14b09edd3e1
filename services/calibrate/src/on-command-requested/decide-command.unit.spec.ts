import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { CommandRequestedSchema } from '@tidemark/proto';
import { describe, expect, it } from 'vitest';
import { decideCommand } from './decide-command.ts';

const command = (service: string, request: MessageInitShape<typeof CommandRequestedSchema>['command']) =>
  decideCommand(create(CommandRequestedSchema, { commandId: 'c', service, ...(request && { command: request }) }));

describe('commands', () => {
  it('evaluate and measure targets', () => {
    expect(command('calibrate', { case: 'evaluate', value: { target: 'a' } })).toEqual({
      kind: 'evaluate',
      target: 'a',
    });
    expect(command('calibrate', { case: 'measure', value: { target: 'a', attempts: 16 } })).toEqual({
      kind: 'measure',
      target: 'a',
      attempts: 16,
    });
  });

  it('are ignored when they are for another service', () => {
    expect(command('select', { case: 'evaluate', value: { target: 'a' } })).toEqual({ kind: 'ignore' });
  });

  it('note a regrade that execute does, whose completion switches the evidence', () => {
    expect(command('execute', { case: 'regrade', value: { problemId: 'p' } })).toEqual({
      kind: 'note_regrade',
      problemId: 'p',
    });
  });

  it('are refused, not swallowed, when this release does not know them', () => {
    expect(command('calibrate', undefined).kind).toBe('refuse');
    expect(command('calibrate', { case: 'measure', value: { target: 'a', attempts: 5000 } }).kind).toBe('refuse');
  });
});
