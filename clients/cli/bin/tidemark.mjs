#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  process.stderr.write('tidemark: not built yet; "npm run build" does it, and "npm start" too\n');
  process.exitCode = 1;
}
