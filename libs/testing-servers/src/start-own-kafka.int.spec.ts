import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { describeWithKafka } from './index.ts';

/** A process of its own that starts a broker, says where, and waits to be killed. */
const STARTER = `
  import { startKafka } from '@tidemark/testing-servers';
  const kafka = await startKafka({ own: true });
  process.stdout.write(JSON.stringify(kafka));
  setInterval(() => undefined, 1_000);
`;

// Only where a shared broker can be had at all; the one under test is its starter's own.
describeWithKafka('a broker of a process that is killed outright', (shared) => {
  it.runIf(shared.by === 'jars')('ends with it', async () => {
    const flags = [
      '--conditions=@tidemark/source',
      '--import',
      '@swc-node/register/esm-register',
      '--input-type=module',
    ];
    const starter = spawn(process.execPath, [...flags, '-e', STARTER], { stdio: ['ignore', 'pipe', 'inherit'] });
    const said = await new Promise<string>((resolve) => starter.stdout.once('data', (text) => resolve(String(text))));
    const [address] = (JSON.parse(said) as { brokers: string[] }).brokers;
    const port = Number(address?.split(':')[1]);
    expect(await listens(port)).toBe(true);
    starter.kill('SIGKILL');
    for (let tries = 0; tries < 100 && (await listens(port)); tries++) await delay(50);
    expect(await listens(port)).toBe(false);
  });
});

async function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
