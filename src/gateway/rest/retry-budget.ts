/** How many reads may be repeated, so that repeats never multiply the load of a sick service. */
export interface RetryBudgetSettings {
  /** Repeats that each first attempt allows. */
  readonly ratio: number;
  /** Repeats that every second allows. */
  readonly perSecond: number;
}

/** The repeats that all requests may still make at one service. */
export interface RetryBudget {
  /** Counts a first attempt. */
  earn(): void;
  /** Takes a repeat. False if none is left. */
  take(): boolean;
  /** How many repeats are left. */
  left(): number;
}

/** What is earned and not used is lost after this time. */
const EXPIRY_MS = 10_000;
const SLICE_MS = 1_000;

/** Creates a budget. `now` is in milliseconds. */
export function createRetryBudget(
  { ratio, perSecond }: RetryBudgetSettings,
  now: () => number,
): RetryBudget {
  /** What each second earned and has left, the oldest first. */
  let slices: { readonly index: number; left: number }[] = [];

  function slice() {
    const index = Math.floor(now() / SLICE_MS);
    const last = slices.at(-1);
    if (last?.index === index) return last;
    slices = slices.filter((each) => (index - each.index) * SLICE_MS < EXPIRY_MS);
    const next = { index, left: perSecond };
    slices.push(next);
    return next;
  }

  const sum = () => slices.reduce((all, { left }) => all + left, 0);

  return {
    left: () => {
      slice();
      return sum();
    },
    earn: () => {
      slice().left += ratio;
    },
    take: () => {
      slice();
      let missing = 1;
      if (sum() < missing) return false;
      for (const each of slices) {
        const taken = Math.min(each.left, missing);
        each.left -= taken;
        missing -= taken;
      }
      return true;
    },
  };
}
