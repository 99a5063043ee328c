import { rmSync } from 'node:fs';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import { preparedStorage } from './storage.ts';

/**
 * A sandbox with the demo data on free ports, on the database of the test project unless
 * a storage is given.
 */
export async function startTestSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { databaseUrl, embedded, dataDir } = options;
  if ((databaseUrl ?? embedded ?? dataDir) !== undefined) return startSandbox(options);
  const storage = await preparedStorage();
  const sandbox = await startSandbox({ ...options, ...storage });
  return {
    ...sandbox,
    close: async () => {
      await sandbox.close();
      if (storage.dataDir !== undefined) rmSync(storage.dataDir, { recursive: true });
    },
  };
}
