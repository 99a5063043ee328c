import { buildSchema, findBreakingChanges } from 'graphql';

/** A printed schema with the `CHANGES.md` of the same version. */
export interface SchemaVersion {
  readonly sdl: string;
  readonly changes: string;
}

/**
 * Returns the breaking changes between two versions that the newer `CHANGES.md` does not
 * list. An entry counts if it is new and contains the sentence of the change.
 */
export function unwrittenBreaks(before: SchemaVersion, now: SchemaVersion): string[] {
  const old = new Set(before.changes.split('\n'));
  const written = now.changes.split('\n').filter((line) => !old.has(line));
  return findBreakingChanges(buildSchema(before.sdl), buildSchema(now.sdl))
    .map(({ description }) => description)
    .filter((description) => !written.some((line) => line.includes(description)));
}
