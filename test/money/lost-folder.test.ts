import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/gateway/operation/store/open-store.ts';
import { usedFolder } from '../support/program.ts';

const open = (dataDir: string) => openStore({ dataDir, leaseMs: 30_000 });

/** What lies in a folder, byte for byte. */
function contents(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = join(folder, name);
    if (statSync(file).isFile()) hash.update(name).update(readFileSync(file));
  }
  return hash.digest('hex');
}

test('a gateway whose folder was taken over writes nothing there any more, not even at its end', async () => {
  const dataDir = usedFolder();
  const store = await open(dataDir);
  writeFileSync(join(dataDir, 'database.lock'), JSON.stringify({ token: 'of another one' }));
  const before = contents(join(dataDir, 'database'));
  const swept = store.sweep(35);
  await expect(swept).rejects.toThrow('Another process has taken this DATA_DIR.');
  await store.close();
  expect(contents(join(dataDir, 'database'))).toBe(before);
});

test('a machine of the same name that lives keeps its folder; one that is silent loses it', async () => {
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
