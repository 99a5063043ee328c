#!/usr/bin/env node
import { pathToFileURL } from 'node:url';
import compiled from './require-compiled.cjs';

// Plain JavaScript, so that it can say what to do before anything is compiled.
let program;
try {
  program = pathToFileURL(compiled.requireCompiled('sandbox/main.js'));
} catch (error) {
  console.error(error.message);
  process.exitCode = 2;
}
if (program !== undefined) await import(program.href);
