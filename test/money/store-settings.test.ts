import { expect, onTestFinished, test } from 'vitest';
import { openServer } from '../../src/database/database.ts';
import { emptyPostgres } from './open-stores.ts';

test.each([
  ['', '4MB'],
  ['?options=-c%20synchronous_commit%3Doff', '4MB'],
  ['?options=-c%20work_mem%3D8MB&application_name=till', '8MB'],
])('a commit waits for the disk, though the address ends in "%s"', async (ending, workMem) => {
  const database = await openServer(`${await emptyPostgres()}${ending}`);
  onTestFinished(() => database.close());
  const [{ on, memory } = {}] = await database.query<{ on: string; memory: string }>(
    `SELECT current_setting('synchronous_commit') AS on, current_setting('work_mem') AS memory`,
  );
  expect({ on, memory }).toEqual({ on: 'on', memory: workMem });
});
