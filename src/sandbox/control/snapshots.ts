import { z } from 'zod';
import type { Database } from '../../database/database.ts';
import { invalidField } from '../http/http-error.ts';
import type { DescribedRoute } from '../http/operation.ts';
import { jsonResponse } from '../http/response.ts';
import { reset } from '../state/reset.ts';
import { deleteSnapshot, listSnapshots, takeSnapshot } from '../state/snapshot.ts';
import { exportSnapshot, importSnapshot } from '../state/snapshot-file.ts';
import type { Controlled } from './controlled.ts';
import { time } from './fields.ts';
import { defineOperation, describeRoute } from './operation.ts';

const SNAPSHOT_NAME = 'Must have 1 to 64 letters, digits, `_`, `-` or `.`, and not be `.` or `..`';

/** The name of a snapshot. */
const snapshotName = z
  .string()
  .regex(/^(?!\.{1,2}$)[\w.-]{1,64}$/, SNAPSHOT_NAME)
  .describe('The name of a snapshot.');

/** A stored copy of all records. */
export const snapshotOutput = z
  .object({ name: snapshotName, taken: z.iso.datetime(), bytes: z.int() })
  .meta({ id: 'Snapshot' });

const snapshotFile = z.looseObject({ format: z.string(), version: z.int() });
const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Takes, lists, exports, imports and deletes snapshots of all records. */
export function snapshotOperations({ environment, exclusively }: Controlled): DescribedRoute[] {
  const { database } = environment;
  return [
    defineOperation({
      method: 'GET',
      path: '/snapshots',
      summary: 'List the snapshots.',
      output: z.array(snapshotOutput),
      handle: () => listSnapshots(database),
    }),
    defineOperation({
      method: 'POST',
      path: '/snapshots',
      summary: 'Take a snapshot of all records and of the clock. It replaces one of the same name.',
      body: z.strictObject({ name: snapshotName }),
      output: snapshotOutput,
      status: 201,
      handle: ({ body }) =>
        exclusively(() => database.transaction((tx) => takeSnapshot(tx, body.name))),
    }),
    exportOperation(database),
    importOperation(database, exclusively),
    defineOperation({
      method: 'DELETE',
      path: '/snapshots/:name',
      summary: 'Delete a snapshot.',
      handle: ({ params }) => deleteSnapshot(database, params.name ?? ''),
    }),
  ];
}

/** The file is text from the database, and is sent as it is. */
function exportOperation(database: Database): DescribedRoute {
  return describeRoute(
    {
      method: 'GET',
      path: '/snapshots/:name',
      summary: 'Export a snapshot as a file.',
      output: snapshotFile,
    },
    async ({ params }, status) => ({
      ...jsonResponse(status, {}),
      body: await exportSnapshot(database, params.name ?? ''),
    }),
  );
}

function importOperation(
  database: Database,
  exclusively: Controlled['exclusively'],
): DescribedRoute {
  return describeRoute(
    {
      method: 'PUT',
      path: '/snapshots/:name',
      summary: 'Import a snapshot from a file that was exported.',
      body: snapshotFile,
      output: snapshotOutput,
    },
    async (request, status) => {
      const name = snapshotName.safeParse(request.params.name);
      if (!name.success) throw invalidField('name', SNAPSHOT_NAME);
      const file = await request.jsonText(MAX_FILE_BYTES);
      const stored = await exclusively(() =>
        database.transaction((tx) => importSnapshot(tx, name.data, file)),
      );
      return jsonResponse(status, stored);
    },
  );
}

/** What a reset leaves. */
export const resetInput = z.strictObject({
  to: z
    .union([z.enum(['demo', 'empty']), z.strictObject({ snapshot: snapshotName })])
    .default('demo')
    .describe('The demo data, only the demo app, or the records of a snapshot.'),
  time: time.optional().describe('Sets the clock afterwards.'),
});

/** Replaces all records. */
export function resetOperations({
  environment,
  clock,
  exclusively,
  afterReset,
  faults,
  inboxes,
}: Controlled): DescribedRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/reset',
      summary:
        'Replace all records and remove all faults and inboxes. The demo app keeps its key; ids are not used again.',
      body: resetInput,
      handle: ({ body }) =>
        exclusively(async () => {
          const readsThen = body.time === undefined ? undefined : new Date(body.time);
          await reset(environment, clock, body.to, readsThen);
          faults.clear();
          inboxes.clear();
          await afterReset();
        }),
    }),
  ];
}
