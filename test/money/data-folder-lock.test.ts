import { createHash } from 'node:crypto';
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/gateway/money/store/open-store.ts';
import { usedFolder } from '../support/program.ts';

const open = (dataDir: string) => openStore({ dataDir, leaseMs: 30_000 });

/** A hash of the names and contents of all files of a folder. */
function hashOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = join(folder, name);
    if (statSync(file).isFile()) hash.update(name).update(readFileSync(file));
  }
  return hash.digest('hex');
}

test('a store whose folder was taken over by another process writes nothing more, even when it closes', async () => {
  const dataDir = usedFolder();
  const store = await open(dataDir);
  writeFileSync(join(dataDir, 'database.lock'), JSON.stringify({ token: 'of another process' }));
  const before = hashOf(join(dataDir, 'database'));
  const swept = store.sweep({ retentionDays: 35, ownMs: 0 });
  await expect(swept).rejects.toThrow('Another process has taken this DATA_DIR.');
  await store.close();
  expect(hashOf(join(dataDir, 'database'))).toBe(before);
});

test.each([
  ['replaces the lock', renameSync],
  ['writes into the lock', copyFileSync],
])('a process that has used its folder notices at once when another one %s', async (_how, take) => {
  const dataDir = usedFolder();
  const store = await open(dataDir);
  onTestFinished(() => store.close());
  const file = join(dataDir, 'database.lock');
  for (let count = 0; count < 3; count++) await store.list(true, 1);
  // Its own lock, touched by another program, is still its own.
  utimesSync(file, 1, 1);
  await store.list(true, 1);
  const other = join(dataDir, 'other.lock');
  writeFileSync(other, readFileSync(file, 'utf8').replace(/"token":"[^"]+/, '"token":"another'));
  take(other, file);
  await expect(store.list(true, 1)).rejects.toThrow('Another process has taken this DATA_DIR.');
});

test('a folder that a machine with the same name uses is taken over only after its lock was not refreshed for 30 seconds', async () => {
  const dataDir = usedFolder();
  const file = join(dataDir, 'database.lock');
  const owner = { token: 'x', pid: 1, started: '', host: hostname(), boot: 'another start' };
  writeFileSync(file, JSON.stringify(owner));
  await expect(open(dataDir)).rejects.toThrow(`is in use by process 1 on ${hostname()}`);
  const longAgo = Date.now() / 1_000 - 31;
  utimesSync(file, longAgo, longAgo);
  const store = await open(dataDir);
  onTestFinished(() => store.close());
  expect(readFileSync(file, 'utf8')).not.toBe(JSON.stringify(owner));
});
