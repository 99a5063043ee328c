import { z } from 'zod';
import { badInput } from '../schema/bad-input.ts';

/** Where a reader is in the feeds of some merchants. */
export interface Position {
  /** When the last event was seen, for merchants that the position does not name. */
  readonly time: Date;
  /** The number of the last event that was read, of each merchant. */
  readonly numbers: ReadonlyMap<string, number>;
}

/** The longest cursor that is read. */
const MAX_LENGTH = 65_536;

const Form = z.tuple([
  z.literal('evt'),
  z.int().min(0).max(8.64e15),
  z.record(z.string(), z.int().min(0)),
]);

/** The position as an opaque cursor. */
export function toPositionCursor({ time, numbers }: Position): string {
  const form = ['evt', time.getTime(), Object.fromEntries(numbers)];
  return Buffer.from(JSON.stringify(form)).toString('base64url');
}

/** Reads the cursor of a position; undefined without one. An empty one counts as absent. */
export function readPosition(
  cursor: string | null | undefined,
  argument: string,
): Position | undefined {
  if (!cursor) return undefined;
  const { success, data } = Form.safeParse(cursor.length > MAX_LENGTH ? null : parse(cursor));
  if (!success) {
    throw badInput(`\`${argument}\` is not a cursor of events.`, argument);
  }
  const [, time, numbers] = data;
  return { time: new Date(time), numbers: new Map(Object.entries(numbers)) };
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** Why a reader was interrupted, and where it can go on. */
export class InterruptedError extends Error {
  readonly cursor: string;

  constructor(cursor: string, cause: unknown) {
    super('A subscription ended.', { cause });
    this.cursor = cursor;
  }
}
