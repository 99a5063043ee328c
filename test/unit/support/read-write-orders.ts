/** One step of a read or a write. */
export interface Step {
  readonly actor: 'READ' | 'WRITE';
  readonly index: number;
  /** MIDDLE is at the service: the record is read, or the write is applied. */
  readonly what: 'BEGIN' | 'MIDDLE' | 'END';
}

const READS = 3;
const WRITES = 2;
const WHATS = ['BEGIN', 'MIDDLE', 'END'] as const;

const actors = [
  ...Array.from({ length: READS }, (_, index) => ({ actor: 'READ', index }) as const),
  ...Array.from({ length: WRITES }, (_, index) => ({ actor: 'WRITE', index }) as const),
];

/**
 * Every order of the steps of three reads and two writes. Left out is what equals another order:
 * reads do not differ from each other, writes do not either, and two steps in a row that do not
 * affect each other are taken in one of their orders.
 */
export const allOrders: readonly (readonly Step[])[] = [
  ...ordersFrom(
    [],
    actors.map(() => 0),
  ),
];

function* ordersFrom(order: readonly Step[], taken: readonly number[]): Generator<readonly Step[]> {
  if (taken.every((count) => count === WHATS.length)) {
    yield order;
    return;
  }
  for (const [at, actor] of actors.entries()) {
    const what = WHATS[taken[at] ?? 0];
    if (what === undefined || isTwin(at, taken)) continue;
    const step = { ...actor, what };
    const last = order.at(-1);
    if (last !== undefined && areIndependent(last, step) && rank(step) < rank(last)) continue;
    yield* ordersFrom(
      [...order, step],
      taken.map((count, other) => (other === at ? count + 1 : count)),
    );
  }
}

/** Whether an equal actor before this one has not begun. */
function isTwin(at: number, taken: readonly number[]): boolean {
  const before = actors[at - 1];
  return taken[at] === 0 && before?.actor === actors[at]?.actor && taken[at - 1] === 0;
}

/** Whether two steps of different actors lead to the same in both orders. */
function areIndependent(one: Step, other: Step): boolean {
  if (one.actor === other.actor && one.index === other.index) return false;
  const [isServiceOfOne, isServiceOfOther] = [one.what === 'MIDDLE', other.what === 'MIDDLE'];
  // At the service, only a read and a write affect each other.
  if (isServiceOfOne && isServiceOfOther) return one.actor === other.actor;
  if (isServiceOfOne || isServiceOfOther) return true;
  // Elsewhere, everything affects a read that begins, and nothing affects anything else.
  return !isBeginOfRead(one) && !isBeginOfRead(other);
}

function isBeginOfRead({ actor, what }: Step): boolean {
  return actor === 'READ' && what === 'BEGIN';
}

function rank({ actor, index, what }: Step): number {
  const at = actors.findIndex((one) => one.actor === actor && one.index === index);
  return at * WHATS.length + WHATS.indexOf(what);
}
