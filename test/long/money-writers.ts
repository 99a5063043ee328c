import type { Books, Entry } from '../money/books.ts';
import type { GatewayProcess } from '../money/gateway-process.ts';
import { type Movement, movements } from '../money/movement.ts';
import { newKey } from '../support/new-key.ts';

/** A transaction that several writers work on. */
interface Lane {
  readonly id: string;
  /** What was in its books before anybody wrote. */
  readonly opening: readonly Entry[];
  /** What writers do there; refunds need captures. */
  readonly kinds: readonly Movement[];
  /** Nothing can be done there any more: it is used up, or an unknown outcome blocks it. */
  left: boolean;
}

/** One movement that a writer wants, and what it was told in the end. */
export interface Wanted {
  readonly lockKey: Lane;
  readonly movement: Movement;
  readonly amount: number;
  readonly key: string;
  ended?: 'SUCCEEDED' | 'UNKNOWN' | 'REJECTED' | 'GIVEN UP';
  cutOff: number;
}

/** Where writers find things; all of them share it. */
export interface Surroundings {
  readonly books: Books;
  readonly random: (below: number) => number;
  /** The gateway that lives, or will in a moment. */
  gateway(): Promise<GatewayProcess>;
  /** Told of every answer. */
  answered(): void;
}

const LANES = 16;
/** After so many answers UNKNOWN by living gateways a writer leaves the transaction alone. */
const UNKNOWN_ANSWERS = 3;
const kinds = {
  refund: ['refund'],
  capture: ['capture', 'capture', 'void', 'refund'],
} as const satisfies Partial<Record<Movement, readonly Movement[]>>;

/** Writers that move money on shared transactions, and remember what they were told. */
export function employWriters({ books, random, gateway, answered }: Surroundings) {
  const log: Wanted[] = [];
  const lanes: Lane[] = [];
  let over = false;

  async function anyLane(): Promise<Lane> {
    const place = random(LANES);
    const found = lanes[place];
    if (found !== undefined && !found.left) return found;
    const movement = random(3) === 0 ? 'refund' : 'capture';
    const id = await books.charge(movement);
    const opening = await books.entries(id);
    const lockKey = { id, opening, kinds: kinds[movement], left: false };
    lanes[place] = lockKey;
    return lockKey;
  }

  /** Mostly small ones, often alike; some that fit once, and some that take everything. */
  function anyAmount(): number {
    const dice = random(20);
    if (dice < 14) return [10, 20, 50][dice % 3] as number;
    return dice < 18 ? 600 : 1000;
  }

  /** Repeats with the same key until something final is told. */
  async function pursue(wanted: Wanted): Promise<void> {
    const { lockKey, movement, amount, key } = wanted;
    let unknown = 0;
    while (wanted.ended === undefined) {
      const { ask } = await gateway();
      const answer = await movements(ask)
        .move(movement, lockKey.id, amount, key)
        .catch((error) => {
          // What a dead gateway leaves of a request; anything else is a defect.
          if (!(error instanceof TypeError)) throw error;
        });
      if (answer === undefined) {
        wanted.cutOff++;
        continue;
      }
      answered();
      const { ended, code, operation } = answer;
      if (ended === 'Success') wanted.ended = 'SUCCEEDED';
      else if (code === 'AMOUNT_TOO_LARGE' || code === 'UPSTREAM_REJECTED') {
        wanted.ended = 'REJECTED';
        lockKey.left ||= amount <= 50 && movement !== 'refund';
      } else if (code === 'TRANSACTION_BUSY') {
        if (lockKey.left) wanted.ended = 'GIVEN UP';
      } else if (operation?.status === 'UNKNOWN') {
        if (++unknown < UNKNOWN_ANSWERS) continue;
        wanted.ended = 'UNKNOWN';
        lockKey.left = true;
      } else if (!['NOT_SENT', 'STORE_UNAVAILABLE', 'IDEMPOTENCY_KEY_IN_USE'].includes(code)) {
        throw new Error(`A writer was told ${ended} ${code}.`);
      }
    }
  }

  async function work(): Promise<void> {
    while (!over) {
      const lockKey = await anyLane();
      const movement = lockKey.kinds[random(lockKey.kinds.length)] as Movement;
      const wanted: Wanted = { lockKey, movement, amount: anyAmount(), key: newKey(), cutOff: 0 };
      log.push(wanted);
      await pursue(wanted);
    }
  }

  return {
    log: log as readonly Wanted[],
    /** Starts so many; resolves when all have ended. */
    start: (writers: number): Promise<unknown> =>
      Promise.all(Array.from({ length: writers }, work)),
    /** Lets each end what it is about. */
    stop: () => {
      over = true;
    },
  };
}
