/** Relay's arguments over a list of ids; `undefined` is not given. */
export interface RelayArguments {
  readonly first?: number | undefined;
  readonly after?: string | undefined;
  readonly last?: number | undefined;
  readonly before?: string | undefined;
}

/** What Relay's algorithm answers. */
export interface RelayPage {
  readonly ids: readonly string[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/**
 * The pagination algorithm of the GraphQL Cursor Connections specification, written
 * down once more, step by step and over a whole list, as something to compare with. Where the
 * specification leaves a flag to what "can be determined efficiently", a cursor that
 * was given is proof that its own item exists beyond the page.
 */
export function relayPage(list: readonly string[], args: RelayArguments): RelayPage {
  const { first, after, last, before } = args;
  const edges = applyCursors(list, after, before);
  let page = edges;
  if (first !== undefined && page.length > first) page = page.slice(0, first);
  if (last !== undefined && page.length > last) page = page.slice(page.length - last);
  return {
    ids: page,
    hasPreviousPage: last !== undefined ? edges.length > last : after !== undefined,
    hasNextPage: first !== undefined ? edges.length > first : before !== undefined,
  };
}

function applyCursors(list: readonly string[], after?: string, before?: string) {
  let edges = [...list];
  const afterEdge = after === undefined ? -1 : edges.indexOf(after);
  if (afterEdge !== -1) edges = edges.slice(afterEdge + 1);
  const beforeEdge = before === undefined ? -1 : edges.indexOf(before);
  if (beforeEdge !== -1) edges = edges.slice(0, beforeEdge);
  return edges;
}

/**
 * Every combination of Relay's arguments over a list. `last` with a range whose ends
 * are crossed (`after` at or beyond `before`) is left out: Relay then answers from the
 * far end of the list, which a service that pages from a cursor cannot know.
 */
export function* relayArguments(list: readonly string[]): Generator<RelayArguments> {
  const sizes = Array.from({ length: list.length + 2 }, (_, size) => size);
  const cursors = [undefined, ...list];
  for (const after of cursors) {
    for (const before of cursors) {
      for (const first of sizes) yield { first, after, before };
      const inOrder = after === undefined || list.indexOf(after) < list.indexOf(before ?? '');
      if (before === undefined || !inOrder) continue;
      for (const last of sizes) yield { last, after, before };
    }
  }
}
