import { defineConfig } from 'vitest/config';

/** Specs run from sources: the `@tidemark/source` export condition leads to `src`, not to a build. */
export default defineConfig({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  resolve: { conditions: ['@tidemark/source', 'node'] },
  ssr: { resolve: { conditions: ['@tidemark/source', 'node'] } },
  test: {
    include: ['{libs,services,clients,tools,proto,samples}/**/*.spec.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    // Servers are shared by the files of a run, and started when the first one asks.
    globalSetup: ['libs/testing-servers/src/vitest-global-setup.ts'],
    // Embedded PostgreSQL, a broker and sandboxes share the machine: a few files at once are enough.
    maxWorkers: 2,
    // kafkajs asks for a time-out in the past, which Node sets to 1 ms and reports each time.
    execArgv: ['--disable-warning=TimeoutNegativeWarning'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
