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

it('says which database can not be used, without its password', () => {
  const database = 'postgres://me:hush@db.example:5432/tide';
  const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), { code: 'ECONNREFUSED' });
  const said = String(explainFailure(refused, { ...where, database }));
  expect(said).toContain('the database at db.example:5432/tide');
  expect(said).toContain('--database');
  expect(said).not.toContain('hush');
  const absent = Object.assign(new Error('database "tide" does not exist'), { code: '3D000' });
  expect(String(explainFailure(absent, { ...where, database }))).toContain('does not exist');
  const other = Object.assign(new Error('out of memory'), { code: '53200' });
  expect(explainFailure(other, { ...where, database })).toBe(other);
});

it('says what to do about a data folder that can not be used', () => {
  expect(said("the data folder /x can't be written: its file system is read-only")).toContain('--data-folder');
});

it('leaves what it does not know as it is', () => {
  expect(said('the moon is full', 'broker:9092')).toBe('Error: the moon is full');
});
