import { expect, it } from 'vitest';
import { GatewayError } from '../gateway-client.ts';
import { patiently } from './patiently.ts';

const { signal } = new AbortController();

function failing(...errors: Error[]) {
  const said: string[] = [];
  let taken = 0;
  const done = patiently({ signal, says: (step) => said.push(step) }, () => {
    const error = errors[taken++];
    return error === undefined ? Promise.resolve('done') : Promise.reject(error);
  });
  return { done, said, taken: () => taken };
}

it('is there again when the database was away, and says meanwhile why it waits', async () => {
  const away = new GatewayError('What the gateway needs does not answer (database).', 503, {});
  const { done, said } = failing(away, new GatewayError('No gateway answers.', 0, {}));
  expect(await done).toBe('done');
  expect(said[0]).toContain('(database)');
  expect(said).toHaveLength(2);
});

it.each([new GatewayError('refused', 422, {}), new GatewayError('not foreseen', 500, {}), new Error('a bug')])(
  'ends with what another try would not mend: %s',
  async (error) => {
    const { done, taken } = failing(error, error);
    await expect(done).rejects.toBe(error);
    expect(taken()).toBe(1);
  },
);
