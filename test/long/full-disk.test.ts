import { spawnSync } from 'node:child_process';
import { closeSync, cpSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openBooks } from '../money/books.ts';
import { inFrontOf, startGatewayProcess } from '../money/gateway-process.ts';
import { movements } from '../money/movement.ts';
import { newKey } from '../support/new-key.ts';
import { usedFolder } from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';

const REFUSALS = 20;
/** More than fit into what the database has set aside before the disk was full. */
const MOST = 2_000;

/** A disk of 80 MB for this test; undefined where it must not be made. */
function smallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=80m', 'tmpfs', folder]);
  onTestFinished(() => {
    if (mounted.status === 0) spawnSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return mounted.status === 0 ? folder : undefined;
}

function fill(file: string): void {
  const descriptor = openSync(file, 'w');
  const write = () => {
    for (;;) writeSync(descriptor, Buffer.alloc(4_096));
  };
  expect(write).toThrow('ENOSPC');
  closeSync(descriptor);
}

test('on a full disk nothing is sent, nothing is forgotten, and queries go on', async (context) => {
  const disk = smallDisk();
  if (disk === undefined) {
    console.warn('Skipped: only root on Linux can make a small disk for a test.');
    return context.skip();
  }
  cpSync(usedFolder(), disk, { recursive: true });
  const sandbox = await startTestSandbox();
  onTestFinished(() => sandbox.close());
  const books = await openBooks(sandbox);
  const settings = { ...inFrontOf(sandbox), DATA_DIR: disk };
  const gateway = await startGatewayProcess(settings, sandbox.demoApp.key);
  const filler = join(disk, 'filler');
  fill(filler);

  const capture = (wanted: { id: string; key: string }) =>
    movements(gateway.ask).move('capture', wanted.id, 10, wanted.key);
  const succeeded: { id: string; key: string }[] = [];
  const refused: typeof succeeded = [];
  while (refused.length < REFUSALS && succeeded.length < MOST) {
    const wanted = { id: await books.charge('capture'), key: newKey() };
    const { ended, code } = await capture(wanted);
    if (ended === 'Success') succeeded.push(wanted);
    else {
      expect(code).toBe('STORE_UNAVAILABLE');
      refused.push(wanted);
      expect(await books.entries(wanted.id)).toEqual([]);
    }
  }
  expect(refused).toHaveLength(REFUSALS);
  const asked = await gateway.ask('{ merchants(first: 1) { edges { node { id } } } }');
  expect([asked.status, asked.errors]).toEqual([200, undefined]);

  rmSync(filler);
  for (const wanted of [...refused, ...succeeded]) {
    const { ended, operation } = await capture(wanted);
    const replayed = succeeded.includes(wanted);
    expect([ended, operation?.status, operation?.replayed]).toEqual([
      'Success',
      'SUCCEEDED',
      replayed,
    ]);
    expect(await books.entries(wanted.id)).toEqual([{ kind: 'capture', amount: 10 }]);
  }
});
