import { expect, it } from 'vitest';
import { explainFailure } from './explain-failure.ts';

const where = { host: '127.0.0.1', port: 7400 };
const said = (message: string, kafka?: string) =>
  String(explainFailure(new Error(message), kafka === undefined ? where : { ...where, kafka }));

it.each([
  ['listen EADDRINUSE: address already in use 127.0.0.1:7400', undefined, '--port'],
  ['Kafka: Connection error: connect ECONNREFUSED 127.0.0.1:9092', '127.0.0.1:9092', '--kafka'],
  ['Kafka: Connection error: getaddrinfo ENOTFOUND broker', 'broker:9092', '--kafka'],
])('says what to do about "%s"', (message, kafka, advice) => {
  expect(said(message, kafka)).toContain(advice);
});

it('leaves what it does not know as it is', () => {
  expect(said('the moon is full', 'broker:9092')).toBe('Error: the moon is full');
});
