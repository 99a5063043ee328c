import { buildSchema, findBreakingChanges } from 'graphql';

/** A printed schema and what its `CHANGES.md` said at the time. */
export interface SchemaVersion {
  readonly sdl: string;
  readonly changes: string;
}

/**
 * Breaking changes between two versions that the newer `CHANGES.md` does not tell of. An
 * entry counts when it is new and has the words of the change.
 */
export function unwrittenBreaks(before: SchemaVersion, now: SchemaVersion): string[] {
  const old = new Set(before.changes.split('\n'));
  const written = now.changes.split('\n').filter((line) => !old.has(line));
  return findBreakingChanges(buildSchema(before.sdl), buildSchema(now.sdl))
    .map(({ description }) => description)
    .filter((description) => !written.some((line) => line.includes(description)));
}
