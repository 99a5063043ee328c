import type { Control } from '../../src/sandbox/testing/control-client.ts';
import type { RestCaller } from '../support/rest.ts';

/** What others do without the gateway. */
export const otherKinds = [
  ...['pay', 'decline', 'capture', 'refund', 'void'],
  ...['dispute', 'decide', 'payout', 'fraud', 'expire'],
] as const;

/** Somebody does something. A number chooses among what there is. */
export interface Action {
  readonly kind: (typeof otherKinds)[number];
  readonly pick: number;
  readonly share: number;
}

/** A merchant with what was made there, newest first. */
export interface World {
  readonly merchant: string;
  readonly transactions: string[];
  readonly disputes: string[];
  /** Transactions with a change that writes no line. */
  readonly silent: Set<string>;
}

/** Others, who use the payments service and the control interface of a sandbox. */
export function createOthers(service: RestCaller, control: Control) {
  /** All records of a list, newest first. */
  async function list(merchant: string, name: string): Promise<{ id: string }[]> {
    const path = ['transactions', 'lines'].includes(name)
      ? `/merchants/${merchant}/${name}?`
      : `/${name}?filter[merchantId]=${merchant}&`;
    const found: { id: string }[] = [];
    for (let before = ''; ; ) {
      const { body } = await service.get(`${path}limit=100${before}`);
      const page: { id: string }[] = body[name] ?? body;
      if (page.length === 0) return found;
      found.push(...page);
      before = `&before=${page.at(-1)?.id}`;
    }
  }

  return {
    /** Does what an action says. What is not possible is rejected, which is fine. */
    perform: async (world: World, { kind, pick, share }: Action): Promise<void> => {
      const { merchant, transactions, disputes, silent } = world;
      const transactionId = transactions[pick % transactions.length] ?? '';
      const amount = share * 10;
      if (kind === 'pay' || kind === 'decline') {
        const card = kind === 'pay' ? '4100000000000000' : '4100000000000007';
        const paid = await control.pay({ merchantId: merchant, amount: 1_000, card });
        transactions.unshift(paid.transactionId);
      } else if (kind === 'capture' || kind === 'refund' || kind === 'void') {
        if (kind === 'void') silent.add(transactionId);
        await service.post(`/transactions/${transactionId}/${kind}s`, { amount });
      } else if (kind === 'dispute') {
        const opened = await control.disputes.open({ transactionId, amount }).catch(() => {});
        if (opened) disputes.push(opened.disputeId);
      } else if (kind === 'decide') {
        for (const id of transactions) silent.add(id);
        const outcome = pick % 2 === 0 ? 'won' : 'lost';
        const disputeId = disputes[pick % disputes.length] ?? 'none';
        await control.disputes.decide(disputeId, outcome).catch(() => {});
      } else if (kind === 'payout') {
        await control.payouts.make({ merchantId: merchant }).catch(() => {});
      } else if (kind === 'fraud') {
        await control.fileFraudAlert({ transactionId }).catch(() => {});
      } else {
        silent.add(transactionId);
        await control.expire(transactionId).catch(() => {});
      }
    },
    list,
    /** Everything that the service shows of a merchant, by kind. */
    readAll: async (merchant: string) => ({
      txn: await list(merchant, 'transactions'),
      lin: await list(merchant, 'lines'),
      dsp: await list(merchant, 'disputes'),
      frd: await list(merchant, 'frauds'),
    }),
  };
}
