import type { ArgBuilder } from '@pothos/core';
import { badInput } from '../schema/bad-input.ts';
import type { Graph } from '../schema/builder.ts';

/** The argument of a filtered list that says how old its result may be. */
export function maxAgeArg(arg: ArgBuilder<Graph>) {
  return arg.int({
    description:
      'How old the result may be, in seconds, if it comes from the replica: with a filter or `orderBy`, or in a search. An older replica is updated first, at most once a second; `0` means now. Without it, the result may be as old as `search.asOf` says.',
  });
}

/** Rejects an age that is impossible. */
export function checkMaxAge(maxAgeSeconds: number | null | undefined): void {
  if (maxAgeSeconds == null || maxAgeSeconds >= 0) return;
  throw badInput('`maxAgeSeconds` must be at least 0.', 'maxAgeSeconds');
}
