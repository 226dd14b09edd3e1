import { defineConfig } from 'vite';

/** The page is served by the gateway from `dist/site`; in development `vite` serves it and passes questions on. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: 'dist/site',
    emptyOutDir: true,
    // light-dark() as it stands: what the bundler puts in its place for older browsers needs more than the page has.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The policy of the page allows no data: scripts or fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      // "use client" in the component library is for servers that render; here everything is the client.
      onLog: (level, log, handle) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:7400' } },
});
