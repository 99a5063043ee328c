/** A list that does not keep its order, or its items. Sync of its merchant stops. */
export class UnsoundListError extends Error {}

/** An item of a list that the replica has, with its place: the higher, the newer. */
export interface Placed {
  readonly id: string;
  readonly position: number;
}

/** Where the items of a response belong. */
export interface Placement {
  readonly positions: ReadonlyMap<string, number>;
  /** Items that the replica has between the first and the last known one, but the response does not. */
  readonly missing: readonly string[];
}

/**
 * Gives the items of a response their places in the order of the list. A known item keeps its
 * place. New ones get places between their neighbors, so that no other item has to move.
 *
 * @param ids the items in the order of the response
 * @param known what the replica has of these, and everything it has just behind `start`, in the
 *   order of the response
 * @param start the place behind which the response begins; undefined at the newest item
 * @param direction 1 if the response goes from older to newer items, or -1
 */
export function placeItems(
  ids: readonly string[],
  known: readonly Placed[],
  start: number | undefined,
  direction: 1 | -1,
): Placement {
  if (new Set(ids).size < ids.length) throw new UnsoundListError('it repeats an item');
  const byId = new Map(known.map((item) => [item.id, item.position]));
  const isBeyond = (one: number, other: number) => (one - other) * direction > 0;
  const positions = new Map<string, number>();
  let waiting: string[] = [];
  let last = start;

  function placeWaiting(next: number | undefined): void {
    for (const [index, id] of waiting.entries()) {
      const position = between(last, next, (index + 1) / (waiting.length + 1), index + 1);
      positions.set(id, position);
    }
    waiting = [];
  }

  function between(from: number | undefined, to: number | undefined, share: number, step: number) {
    if (from !== undefined && to !== undefined) {
      const position = from + (to - from) * share;
      if (!isBeyond(position, from) || !isBeyond(to, position)) throw new NoPlaceError();
      return position;
    }
    if (from !== undefined) return from + direction * step;
    return to === undefined ? direction * step : to - direction * (waiting.length + 1 - step);
  }

  for (const id of ids) {
    const position = byId.get(id);
    if (position === undefined) {
      waiting.push(id);
      continue;
    }
    if (last !== undefined && !isBeyond(position, last)) {
      throw new UnsoundListError('its order has changed');
    }
    placeWaiting(position);
    positions.set(id, position);
    last = position;
  }
  const end = last;
  const behind = known.find(({ position }) => end === undefined || isBeyond(position, end));
  placeWaiting(behind?.position);
  const missing = known.filter(
    ({ id, position }) =>
      !positions.has(id) &&
      (start === undefined || isBeyond(position, start)) &&
      end !== undefined &&
      isBeyond(end, position),
  );
  return { positions, missing: missing.map(({ id }) => id) };
}

/** No number is left between two places. The list has to be copied again. */
export class NoPlaceError extends Error {}
