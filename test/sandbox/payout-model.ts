import { balanceOf, type ModelTransaction, settle } from './ledger-model.ts';

/** A payout as its line shows it. */
interface Payout {
  readonly created: number;
  readonly amount: number;
}

/** A merchant with a balance, in minor units of its funding currency. */
interface Account {
  readonly opening: number;
  readonly transactions: readonly ModelTransaction[];
  readonly payouts: Payout[];
}

/** Time and payouts of an independent model: merchants are paid out at fixed intervals. */
export interface PayoutModel {
  readonly now: () => number;
  /**
   * Moves the time. Disputes get their outcomes and merchants are paid out in the order of time;
   * of the same moment, outcomes come first. Returns the transactions that changed.
   */
  advance(ms: number, accounts: readonly Account[]): ModelTransaction[];
}

/** Creates the model. The first payouts are one interval after `start`. */
export function createPayoutModel(start: number, everyMs: number): PayoutModel {
  let time = start;
  let next = start + everyMs;

  function settleAll(accounts: readonly Account[], now: number): ModelTransaction[] {
    return accounts.flatMap(({ transactions }) => transactions).filter((each) => settle(each, now));
  }
  return {
    now: () => time,
    advance: (ms, accounts) => {
      const changed: ModelTransaction[] = [];
      time += ms;
      for (; next <= time; next += everyMs) {
        changed.push(...settleAll(accounts, next));
        for (const account of accounts) {
          const amount = currentBalance(account);
          if (amount > 0) account.payouts.push({ created: next, amount });
        }
      }
      changed.push(...settleAll(accounts, time));
      return changed;
    },
  };
}

/** The balance of a merchant by its transactions and payouts. */
export function currentBalance({ opening, transactions, payouts }: Account): number {
  const gained = transactions.reduce((sum, transaction) => sum + balanceOf(transaction), 0n);
  return opening + Number(gained) - payouts.reduce((sum, { amount }) => sum + amount, 0);
}
