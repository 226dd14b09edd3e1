import type { ArgumentsHost } from '@nestjs/common';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { ProblemJsonFilter } from './problem-json.filter.ts';

/** What a caller is answered when a controller throws. */
function answerTo(thrown: unknown): { status: number; code: string; retryAfter: string | undefined; text: string } {
  const answer = { status: 0, code: '', retryAfter: undefined as string | undefined, text: '' };
  const reply = {
    sent: false,
    raw: { headersSent: false },
    header(name: string, value: string) {
      if (name === 'retry-after') answer.retryAfter = value;
    },
    status(code: number) {
      answer.status = code;
      return reply;
    },
    type: () => reply,
    send(text: string) {
      answer.text = text;
      answer.code = String((JSON.parse(text) as { code: unknown }).code);
    },
  };
  const request = {
    method: 'POST',
    url: '/v1/problems?x=1',
    raw: { destroyed: false, readableEnded: true },
    socket: {},
  };
  const host = { switchToHttp: () => ({ getRequest: () => request, getResponse: () => reply }) };
  new ProblemJsonFilter(pino({ enabled: false })).catch(thrown, host as unknown as ArgumentsHost);
  return answer;
}

describe('an error that nobody answered for', () => {
  it.each([
    ['no connection to the database is free', new Error('timeout exceeded when trying to connect')],
    ['the database is gone', Object.assign(new Error('connect ECONNREFUSED 10.0.0.7:5432'), { code: 'ECONNREFUSED' })],
    ['the database shuts down', Object.assign(new Error('terminating'), { code: '57P01', severity: 'FATAL' })],
  ])('is a 503 to come back from when %s, without words of the inside', (_, thrown) => {
    const answer = answerTo(thrown);
    expect(answer).toMatchObject({ status: 503, code: 'dependency_unavailable', retryAfter: '2' });
    expect(answer.text).not.toContain('10.0.0.7');
  });

  it('is a 500 without its message when it is our own', () => {
    const answer = answerTo(new Error('the secret is 4711'));
    expect(answer).toMatchObject({ status: 500, code: 'internal_error' });
    expect(answer.text).not.toContain('4711');
  });
});
