/** What a caller is told when the same request may bring more: nothing is decided yet. */
const AGAIN = new Set([
  'IDEMPOTENCY_KEY_IN_USE',
  'TRANSACTION_BUSY',
  'OUTCOME_UNKNOWN',
  'NOT_SENT',
  'STORE_UNAVAILABLE',
]);
const TRIES = 100;

/** Repeats a request with its key, as its answers advise, until it has ended; answers all of them. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
export async function settled(send: () => Promise<any>) {
  const answers = [await send()];
  while (AGAIN.has(answers.at(-1).code)) {
    if (answers.length === TRIES) throw new Error(`never ends: ${JSON.stringify(answers.at(-1))}`);
    answers.push(await send());
  }
  return { last: answers.at(-1), answers };
}
