import { createUnlimited } from '../../src/gateway/upstream/allowance.ts';
import type { Caller } from '../../src/gateway/upstream/caller.ts';

/** A caller without a credential and without limits. */
export function anyCaller(): Caller {
  return { authorization: undefined, owner: '', allowance: createUnlimited('test') };
}
