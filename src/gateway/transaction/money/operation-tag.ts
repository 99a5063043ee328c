import { isObject } from '../../rest/record.ts';
import type { Transaction } from '../transaction-source.ts';

/** Field of `custom` in which an operation's id is sent; callers may not use it. */
export const RESERVED = 'tillgraph';

/** What to send as `custom`, so that the new transaction always names its operation. */
export function addTag(custom: object | undefined, operationId: string): object {
  return { ...custom, [RESERVED]: { operation: operationId } };
}

/** The id of the operation that created a transaction, if it has a tag. */
export function readTag({ custom }: Transaction): unknown {
  const tag = isObject(custom) ? custom[RESERVED] : undefined;
  return isObject(tag) ? tag.operation : undefined;
}
