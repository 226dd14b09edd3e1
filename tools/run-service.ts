/**
 * `npm run service -- score`: one service alone, from its sources, on a PostgreSQL of its own in `.tidemark/dev/`, unless
 * TIDEMARK_DATABASE_URL names another. All other settings come from the environment, as in `main.ts`.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startBundledPostgres } from '@tidemark/bundled-postgres';

const root = resolve(import.meta.dirname, '..');
const [name = ''] = process.argv.slice(2);
const main = join(root, 'services', name, 'src', 'main.ts');
if (name === '' || !existsSync(main)) {
  process.stderr.write(`There is no service "${name}": services/<name>/src/main.ts is what is run.\n`);
  process.exit(2);
}
if (process.env['TIDEMARK_DATABASE_URL'] === undefined) {
  const postgres = await startBundledPostgres({ folder: join(root, '.tidemark', 'dev') });
  process.env['TIDEMARK_DATABASE_URL'] = postgres.url;
  // The service ends the process when it has finished its work; the server's fast shutdown needs nobody to wait for it.
  process.on('exit', () => {
    process.kill(postgres.pid, 'SIGINT');
  });
  process.stderr.write(`PostgreSQL on port ${postgres.port}, data in .tidemark/dev\n`);
}
await import(main);
