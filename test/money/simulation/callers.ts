import type { OperationKind } from '../../../src/gateway/money/engine/operation.ts';
import type { Random } from './random.ts';

/** One caller, who repeats one operation with its key. */
export interface Caller {
  readonly key: string;
  readonly kind: OperationKind;
  readonly amount: number;
}

/**
 * Up to four callers, each with a key; some want the same as the first.
 *
 * @param amount what the transaction has, and how much of it was captured before
 */
export function createCallers(
  random: Random,
  { amount, captured }: { readonly amount: number; readonly captured: number },
): readonly [Caller, ...Caller[]] {
  const refunds: OperationKind[] = captured > 0 ? ['REFUND', 'REFUND'] : ['REFUND'];
  const createCaller = (index: number): Caller => {
    const kind = random.pick<OperationKind>([
      'CAPTURE',
      'CAPTURE',
      'CAPTURE',
      'VOID',
      'CREATE',
      ...refunds,
    ]);
    const all = kind === 'REFUND' && captured > 0 ? captured : amount - captured;
    return { key: `key ${index}`, kind, amount: random.pick([20, 40, all, all]) };
  };
  const first = createCaller(0);
  const more = Array.from({ length: random.integer(0, 3) }, (_, index) => ({
    ...(random.chance(0.3) ? first : createCaller(0)),
    key: `key ${index + 1}`,
  }));
  return [first, ...more];
}
