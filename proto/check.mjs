/**
 * The contracts' own gate: lint, no breaking change against the committed image, generated code current.
 * `npm run -w proto check`; after an intended change: `npm run -w proto generate`, `buf build -o image.binpb` (from the
 * first release on: once one has been made with it), and golden/generate.py.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** Both run offline: neither asks a registry. */
buf(['lint'], 'the .proto files break a lint rule');
buf(
  ['breaking', '--against', 'image.binpb'],
  'a change breaks readers or writers of the committed image; add a field or a new version instead',
);

const copy = mkdtempSync(join(tmpdir(), 'tidemark-proto-'));
try {
  for (const entry of ['tidemark', 'buf.yaml', 'buf.gen.yaml'])
    cpSync(join(here, entry), join(copy, entry), { recursive: true });
  buf(['generate'], 'generating code failed', copy);
  const committed = files(join(here, 'src/generated'));
  const fresh = files(join(copy, 'src/generated'));
  const stale = [...new Set([...committed.keys(), ...fresh.keys()])].filter(
    (name) => committed.get(name) !== fresh.get(name),
  );
  if (stale.length > 0) fail(`generated code is not current: ${stale.join(', ')}; run npm run -w proto generate`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}

function buf(args, failure, cwd = here) {
  const { status, error } = spawnSync('buf', args, { cwd, stdio: 'inherit' });
  if (error) fail(`buf could not be started: ${error.message}`);
  if (status !== 0) fail(failure);
}

function files(root) {
  const found = new Map();
  const visit = (folder) => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) visit(path);
      else found.set(relative(root, path), readFileSync(path, 'utf8'));
    }
  };
  visit(root);
  return found;
}

function fail(reason) {
  process.stderr.write(`proto: ${reason}\n`);
  process.exit(1);
}
