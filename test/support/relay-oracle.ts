/** Relay's arguments for a list of ids. `undefined` means absent. */
export interface RelayArguments {
  readonly first?: number | undefined;
  readonly after?: string | undefined;
  readonly last?: number | undefined;
  readonly before?: string | undefined;
}

/** The page that Relay's algorithm returns. */
export interface RelayPage {
  readonly ids: readonly string[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/**
 * The pagination algorithm of the GraphQL Cursor Connections specification, step by step
 * over a complete list. Tests compare the gateway with it. Where the specification allows
 * a flag to be determined "efficiently", a cursor proves that its own item is outside of
 * the page.
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
 * Every combination of Relay's arguments for a list. `last` with a crossed range (`after`
 * at or beyond `before`) is omitted: Relay then returns items from the far end of the list,
 * which a service with cursors cannot find.
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
