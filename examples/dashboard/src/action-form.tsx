import { useState } from 'react';
import { showAmount, toMinorUnits } from './money.ts';
import { saveOperation } from './operations.ts';
import type { Payment } from './payment-page.tsx';
import { showName } from './show.ts';

type ActionFormProperties = Payment['availableActions'][number] & {
  readonly payment: Payment;
  readonly close: () => void;
};

/** Asks for the amount, and stores what the person confirms. `OpenOperations` sends it. */
export function ActionForm({ payment, action, maximum, close }: ActionFormProperties) {
  // Made when the form opens, so that confirming twice is still one operation.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const [text, setText] = useState(maximum.decimal ?? '');
  const minorUnits = toMinorUnits(text, maximum.exponent) ?? Number.POSITIVE_INFINITY;
  const isValid = minorUnits <= maximum.minorUnits;
  const amount = { ...maximum, minorUnits };

  function confirm() {
    const what = { kind: action, transactionId: payment.id, merchantId: payment.merchant?.id };
    const state = { status: 'OPEN', mayHaveMoved: false, advice: null, message: '' } as const;
    saveOperation({ idempotencyKey, ...what, amount, ...state, startedAt: Date.now() });
    close();
  }

  return (
    <dialog ref={(dialog) => dialog?.showModal()} onClose={close} aria-labelledby="action">
      <form action={confirm}>
        <h2 id="action">{showName(action)}</h2>
        <label>
          Amount in {maximum.currency}, at most {maximum.decimal}
          <input
            inputMode="decimal"
            value={text}
            onChange={({ target }) => setText(target.value)}
            aria-invalid={!isValid}
          />
        </label>
        <p className="buttons">
          <button type="submit" disabled={!isValid}>
            {showName(action)} {isValid && showAmount(amount)}
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </p>
      </form>
    </dialog>
  );
}
