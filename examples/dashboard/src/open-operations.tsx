import { useEffect, useEffectEvent, useState } from 'react';
import { href } from './address.ts';
import { showAmount } from './money.ts';
import { forgetOperation, type Operation, useOperations } from './operations.ts';
import { sendOperation } from './send-operation.ts';
import { showName } from './show.ts';

const POLL_MS = 1_000;
const RETRY_MS = 30_000;
const LONGEST_MS = 10 * 60_000;
/** The gateway forgets an operation after 35 days, and would then make it again. */
const OLDEST_MS = 30 * 24 * 60 * 60_000;
const outcomes = { OPEN: 'is being checked', SUCCEEDED: 'succeeded', FAILED: 'was not made' };

/** Sends what a person has confirmed until its outcome is known, and says what became of it. */
export function OpenOperations() {
  const operations = useOperations();
  return (
    <div aria-live="polite">
      {operations.map((one) => (
        <OpenOperation key={one.idempotencyKey} operation={one} />
      ))}
    </div>
  );
}

function OpenOperation({ operation }: { operation: Operation }) {
  const { idempotencyKey, status, advice, message, mayHaveMoved } = operation;
  const { merchantId = '', transactionId } = operation;
  const [attempts, setAttempts] = useState(0);
  const [sending, setSending] = useState(false);
  const isOld = status === 'OPEN' && Date.now() - operation.startedAt > OLDEST_MS;
  const isOpen = status === 'OPEN' && !isOld;

  const send = useEffectEvent(async () => {
    setSending(true);
    await sendOperation(idempotencyKey).finally(() => setSending(false));
    setAttempts((count) => count + 1);
  });
  // At once when it is new and after a reload, then as the gateway advises.
  const wait = advice === 'POLL' ? POLL_MS : Math.min(RETRY_MS * 2 ** (attempts - 1), LONGEST_MS);
  const delay = attempts === 0 ? 0 : wait;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt is followed by the next
  useEffect(() => {
    const timer = isOpen ? setTimeout(send, delay) : undefined;
    return () => clearTimeout(timer);
  }, [isOpen, delay, attempts]);

  return (
    <section className={`notice ${status}`}>
      <h2>
        {showName(operation.kind)} of {showAmount(operation.amount)} {outcomes[status]}
      </h2>
      {isOpen && mayHaveMoved && <p>It is not known yet whether the money has moved.</p>}
      {message !== '' && <p>{message}</p>}
      {isOld && <p>It is too old to be repeated. Find out from the trail of the payment.</p>}
      {isOpen && <p>This page repeats the same request. The money moves at most once.</p>}
      {advice === 'CONTACT_OPERATOR' && <p>Tell the operator the key {idempotencyKey}.</p>}
      <p className="buttons">
        {isOpen && (
          <button type="button" disabled={sending} onClick={() => setAttempts(0)}>
            {sending ? 'Checking…' : 'Check now'}
          </button>
        )}
        {(!isOpen || !mayHaveMoved) && (
          <button type="button" onClick={() => forgetOperation(idempotencyKey)}>
            {isOpen ? 'Give up' : 'Dismiss'}
          </button>
        )}
        <a href={href({ merchant: merchantId, id: transactionId })}>Show the payment</a>
      </p>
    </section>
  );
}
