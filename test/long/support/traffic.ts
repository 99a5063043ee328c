/** A request of {@link sendAtRate}, and what it led to. */
export interface Sent {
  /** When it was sent. */
  readonly at: number;
  readonly ms: number;
  /** Why it failed; absent if it succeeded. */
  readonly error?: unknown;
}

const SEND_EVERY_MS = 5;

/**
 * Sends requests at a rate, however long their answers take, until `end` resolves. Then waits for
 * the answers. A request that rejects, or whose answer has errors, has failed.
 */
export async function sendAtRate(
  ask: () => Promise<{ readonly errors?: unknown }>,
  perSecond: number,
  end: Promise<unknown>,
): Promise<Sent[]> {
  const sent: Promise<Sent>[] = [];
  const start = performance.now();
  const timer = setInterval(() => {
    const due = ((performance.now() - start) / 1_000) * perSecond;
    while (sent.length < due) sent.push(measure(ask));
  }, SEND_EVERY_MS);
  try {
    await end;
  } finally {
    clearInterval(timer);
  }
  return Promise.all(sent);
}

async function measure(ask: () => Promise<{ readonly errors?: unknown }>): Promise<Sent> {
  const at = performance.now();
  const error = await ask().then(
    ({ errors }) => errors,
    (reason: unknown) => reason,
  );
  return { at, ms: performance.now() - at, ...(error === undefined ? {} : { error }) };
}

/** The time that 99 % of the requests took at most. */
export function p99(sent: readonly Sent[]): number {
  const times = sent.map(({ ms }) => ms).sort((one, other) => one - other);
  return times[Math.floor(times.length * 0.99)] ?? 0;
}

/** The value in the middle. */
export function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** Those that failed. */
export function failed(sent: readonly Sent[]): Sent[] {
  return sent.filter(({ error }) => error !== undefined);
}

/** Why requests failed, and how many of them for each reason. */
export function reasons(sent: readonly Sent[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { error } of failed(sent)) {
    const reason = error instanceof Error ? `${error} ${error.cause ?? ''}` : JSON.stringify(error);
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}
