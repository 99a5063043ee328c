import type { CaptureAsk } from './ask.ts';
import { openCaptureStore } from './capture-store.ts';
import type { Transaction } from './records.ts';
import { get, post } from './upstream-client.ts';

const store = await openCaptureStore(process.env.DATABASE_URL ?? '');

/**
 * Captures with the calls and the durable record that the gateway makes: the claim of the key is
 * committed before the snapshot is read, and the snapshot before the POST.
 */
export async function capture(
  { id, amount, currency, key }: Omit<CaptureAsk, 'kind'>,
  authorization: string,
): Promise<Transaction> {
  const read = () => get<Transaction>(`/transactions/${id}`, authorization);
  const transaction = await read();
  if (transaction.pendingAmount < amount || transaction.currency !== currency) {
    throw new Error('This amount cannot be captured.');
  }
  await store.claim(key, id, amount);
  await store.startSending(key, (await read()).trail);
  const path = `/transactions/${id}/captures`;
  const moved = await post<Transaction>(path, authorization, key, { amount, currency });
  await store.succeed(key, moved.trail);
  return read();
}
