import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { hasDatabase, openDataFolder } from '../../src/database/data-folder.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-data-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** As PostgreSQL leaves it, as far as the folder shows. */
function writeDatabase(path: string): void {
  mkdirSync(path);
  writeFileSync(join(path, 'PG_VERSION'), '18\n');
}

test('a database is used only once it is complete', () => {
  const dataDir = join(newFolder(), 'not', 'there', 'yet');
  const first = openDataFolder(dataDir);
  expect(first.isNew).toBe(true);
  writeFileSync(join(first.path, 'PG_VERSION'), '18\n');
  expect(hasDatabase(dataDir)).toBe(false);
  first.markComplete();
  first.lock.release();
  expect(hasDatabase(dataDir)).toBe(true);
  expect(readdirSync(dataDir)).toEqual(['database']);

  const second = openDataFolder(dataDir);
  expect([second.isNew, second.path]).toEqual([false, first.path]);
  second.markComplete();
  second.lock.release();
});

test('the next start removes what an interrupted first start left', () => {
  const dataDir = newFolder();
  const interrupted = openDataFolder(dataDir);
  writeFileSync(join(interrupted.path, 'PG_VERSION'), '18\n');
  interrupted.lock.release();
  const next = openDataFolder(dataDir);
  onTestFinished(() => next.lock.release());
  expect([next.isNew, readdirSync(next.path)]).toEqual([true, []]);
});

test('nobody else can enter the folder of a database, also if an earlier version has created it', () => {
  const dataDir = newFolder();
  const modeOf = (path: string) => statSync(path).mode & 0o777;
  const nested = join(dataDir, 'not', 'there', 'yet');
  const created = openDataFolder(nested);
  created.lock.release();
  expect([modeOf(nested), modeOf(created.path)]).toEqual([0o700, 0o700]);

  const path = join(dataDir, 'database');
  writeDatabase(path);
  chmodSync(path, 0o755);
  openDataFolder(dataDir).lock.release();
  expect(modeOf(path)).toBe(0o700);
});

test.each([[['gateway']], [['gateway', 'sandbox']]])(
  'a DATA_DIR with the databases %j of an earlier version is rejected',
  (names) => {
    const dataDir = newFolder();
    for (const name of names) writeDatabase(join(dataDir, name));
    const message =
      `DATA_DIR ${dataDir} contains data of an earlier version of Tillgraph: ${names.join(', ')}. ` +
      'This version cannot read it. Move it elsewhere, or set DATA_DIR to another folder.';
    expect(() => openDataFolder(dataDir)).toThrow(message);
    expect(() => hasDatabase(dataDir)).toThrow(message);
    expect(readdirSync(dataDir)).toEqual(names);
  },
);

test('a folder with that name that is not a database is left unchanged', () => {
  const dataDir = newFolder();
  mkdirSync(join(dataDir, 'database'));
  writeFileSync(join(dataDir, 'database', 'letter.txt'), 'Dear Ada');
  expect(() => openDataFolder(dataDir)).toThrow(
    `${join(dataDir, 'database')} exists but is not a database of Tillgraph.`,
  );
  expect(readdirSync(dataDir, { recursive: true })).toEqual([
    'database',
    join('database', 'letter.txt'),
  ]);
});
