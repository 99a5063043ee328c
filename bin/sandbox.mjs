import { createRequire } from 'node:module';

// Node loads this file, because it is required. Vitest would transform an import of a linked package.
const { load } = createRequire(import.meta.url)('./program.cjs');

export const { startSandbox } = await load('sandbox/testing/start');
