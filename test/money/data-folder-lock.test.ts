import { createHash } from 'node:crypto';
import {
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lockFolder } from '../../src/database/folder-lock.ts';
import { openStore } from '../../src/gateway/money/store/open-store.ts';
import { startProcess } from '../support/process.ts';
import { emptyFolder, usedFolder } from '../support/program.ts';

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

/** What a process finds whose folder was removed, and created by another one. */
function replaceLock(dataDir: string): void {
  const other = join(dataDir, 'other.lock');
  writeFileSync(other, '');
  renameSync(other, join(dataDir, 'database.lock'));
}

test('a store whose folder was taken over by another process writes nothing more, even when it closes', async () => {
  const dataDir = usedFolder();
  const store = await open(dataDir);
  replaceLock(dataDir);
  const before = hashOf(join(dataDir, 'database'));
  const swept = store.sweep({ retentionDays: 35, ownMs: 0 });
  await expect(swept).rejects.toThrow('Another process has taken this DATA_DIR.');
  await store.close();
  expect(hashOf(join(dataDir, 'database'))).toBe(before);
});

test('a process that has used its folder notices at once that the lock was replaced', async () => {
  const dataDir = usedFolder();
  const store = await open(dataDir);
  onTestFinished(() => store.close());
  const file = join(dataDir, 'database.lock');
  for (let count = 0; count < 3; count++) await store.list(true, 1);
  // Its own lock, touched by another program, is still its own.
  utimesSync(file, 1, 1);
  await store.list(true, 1);
  replaceLock(dataDir);
  await expect(store.list(true, 1)).rejects.toThrow('Another process has taken this DATA_DIR.');
});

test('a folder stays locked after a failed attempt of the same process, and is free when a process is killed', async () => {
  const dataDir = emptyFolder();
  const lock = new URL('../../src/database/folder-lock.ts', import.meta.url).href;
  const script = `import { lockFolder } from '${lock}';
lockFolder(${JSON.stringify(dataDir)});
console.log('locked');
setInterval(() => {}, 1_000);`;
  const start = () => startProcess(process.execPath, ['--input-type=module', '-e', script]);
  const own = lockFolder(dataDir);
  expect(() => lockFolder(dataDir)).toThrow(`is in use by process ${process.pid} on `);
  expect((await start().ended).stderr).toContain(`is in use by process ${process.pid} on `);
  own.release();
  const other = start();
  await other.printed(/locked/);
  expect(() => lockFolder(dataDir)).toThrow(`is in use by process ${other.pid} on `);
  await other.stop('SIGKILL');
  lockFolder(dataDir).release();
  expect(readdirSync(dataDir)).toEqual([]);
});

test('a lock of an earlier version is not taken over', () => {
  const dataDir = emptyFolder();
  writeFileSync(join(dataDir, 'database.lock'), JSON.stringify({ token: 'x', pid: 1, host: 'y' }));
  expect(() => lockFolder(dataDir)).toThrow('is not a lock of this version of Tillgraph.');
});
