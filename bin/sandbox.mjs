import { createRequire } from 'node:module';

const { importSandbox } = createRequire(import.meta.url)('./import-sandbox.cjs');

export const { startSandbox } = await importSandbox();
