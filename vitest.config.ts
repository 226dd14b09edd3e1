import { defineConfig } from 'vitest/config';

/** Specs run from sources: the `@tidemark/source` export condition leads to `src`, not to a build. */
export default defineConfig({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
  resolve: { conditions: ['@tidemark/source', 'node', 'import', 'default'] },
  ssr: { resolve: { conditions: ['@tidemark/source', 'node', 'import', 'default'] } },
  test: {
    include: ['{libs,services,clients,tools,proto,samples}/**/*.spec.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    // Embedded PostgreSQL, a broker and sandboxes share the machine: a few files at once are enough.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
