#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Plain JavaScript, so that it can say what to do before anything is compiled.
const program = new URL('../dist/sandbox/main.js', import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  const folder = fileURLToPath(new URL('..', import.meta.url));
  console.error(
    `Tillgraph is not compiled. Run \`npm ci\` and \`npm run build\` in ${folder} once.`,
  );
  process.exitCode = 2;
}
