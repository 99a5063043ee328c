import { spawnSync } from 'node:child_process';
import { closeSync, cpSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { settingsFor, startGatewayProcess } from '../money/support/gateway-process.ts';
import { type MovementInput, movementInput, submit } from '../money/support/money-client.ts';
import { openServiceLedger } from '../money/support/service-ledger.ts';
import type { Ask } from '../support/ask.ts';
import { usedFolder } from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';

const MAX_FAILURES = 20;
/** More than fit into the space that the database had reserved before the disk was full. */
const MAX_SUCCESSES = 2_000;

const capture = (ask: Ask, input: MovementInput) => submit(ask, 'capture', input);

/** Mounts a disk of 80 MB for this test. Returns undefined if this process may not mount. */
function mountSmallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=80m', 'tmpfs', folder]);
  onTestFinished(() => {
    if (mounted.status === 0) spawnSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return mounted.status === 0 ? folder : undefined;
}

/** Writes a file until the disk is full. */
function fillDisk(file: string): void {
  const descriptor = openSync(file, 'w');
  const write = () => {
    for (;;) writeSync(descriptor, Buffer.alloc(4_096));
  };
  expect(write).toThrow('ENOSPC');
  closeSync(descriptor);
}

test('with a full disk nothing is sent and queries work; afterwards every capture has applied once', async (context) => {
  const disk = mountSmallDisk();
  if (disk === undefined) {
    console.warn('Skipped: only root on Linux can mount a small disk.');
    return context.skip();
  }
  cpSync(usedFolder(), disk, { recursive: true });
  const sandbox = await startTestSandbox();
  onTestFinished(() => sandbox.close());
  const ledger = await openServiceLedger(sandbox);
  const settings = { ...settingsFor(sandbox), DATA_DIR: disk };
  const { ask } = await startGatewayProcess(settings, sandbox.demoApp.key);
  const filler = join(disk, 'filler');
  fillDisk(filler);

  const succeeded: MovementInput[] = [];
  const failed: MovementInput[] = [];
  while (failed.length < MAX_FAILURES && succeeded.length < MAX_SUCCESSES) {
    const input = movementInput(await ledger.createTransaction('capture'), 10);
    const { operation, code } = await capture(ask, input);
    if (operation?.status === 'SUCCEEDED') {
      succeeded.push(input);
    } else {
      expect(code).toBe('STORE_UNAVAILABLE');
      failed.push(input);
      expect(await ledger.entries(input.transactionId)).toEqual([]);
    }
  }
  expect(failed).toHaveLength(MAX_FAILURES);
  const answer = await ask('{ merchants(first: 1) { edges { node { id } } } }');
  expect([answer.status, answer.errors]).toEqual([200, undefined]);

  rmSync(filler);
  for (const [inputs, replayed] of [
    [failed, false],
    [succeeded, true],
  ] as const) {
    for (const input of inputs) {
      expect(await capture(ask, input)).toMatchObject({
        __typename: 'CaptureTransactionSuccess',
        operation: { status: 'SUCCEEDED', replayed },
      });
      const entries = await ledger.entries(input.transactionId);
      expect(entries).toEqual([{ kind: 'capture', amount: 10 }]);
    }
  }
});
