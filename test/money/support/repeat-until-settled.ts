import type { Answer } from '../../support/ask.ts';

/** Codes after which the same request may have another result. */
const REPEAT = new Set([
  'IDEMPOTENCY_KEY_IN_USE',
  'TRANSACTION_BUSY',
  'OUTCOME_UNKNOWN',
  'NOT_SENT',
  'STORE_UNAVAILABLE',
]);
const MAX_ATTEMPTS = 100;

/** Repeats a request with its key until its result is final. Returns all results. */
export async function repeatUntilSettled(
  send: () => Promise<Answer['data']>,
): Promise<{ readonly last: Answer['data']; readonly results: readonly Answer['data'][] }> {
  const results: Answer['data'][] = [];
  while (results.length < MAX_ATTEMPTS) {
    const last = await send();
    results.push(last);
    if (!REPEAT.has(last.code)) return { last, results };
  }
  throw new Error(`not settled after ${MAX_ATTEMPTS} attempts: ${JSON.stringify(results.at(-1))}`);
}
