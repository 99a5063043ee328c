import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ledgerFaults } from '../sandbox/ledger.ts';
import { newCaller } from './new-caller.ts';
import { DKK_MERCHANT, EUR_MERCHANT, type Subject, ways } from './subject.ts';

describe.each(ways)('payments and what follows them %s', (_way, start) => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await start();
  });
  afterAll(() => subject.close());

  const transaction = async (id: string) =>
    (await subject.payments.get(`/transactions/${id}`)).body.transaction;
  const captured = async (amount = 1_000) => {
    const { transactionId } = await subject.control.pay({ merchantId: EUR_MERCHANT, amount });
    await subject.payments.post(`/transactions/${transactionId}/captures`, { amount });
    return transactionId;
  };
  const lineOf = async (id: string) => (await subject.payments.get(`/lines/${id}`)).body;

  test('a link or a merchant is paid with a named test card', async () => {
    const { merchant } = (await subject.payments.get(`/merchants/${EUR_MERCHANT}`)).body;
    const query = `key=${merchant.key}&test=1&currency=JPY&value=250&reference=A1`;
    const paid = await subject.control.pay({
      link: `${subject.posUrl}/?${query}`,
      card: '3ds-full',
    });
    expect(await transaction(paid.transactionId)).toMatchObject({
      ...{ amount: 250, currency: 'JPY', tds: 'full', recurring: false, pendingAmount: 250 },
      ...{ custom: { reference: 'A1' }, card: { last4: '0130' } },
    });
    const declined = await subject.control.pay({
      ...{ merchantId: `mer_${DKK_MERCHANT}`, amount: 99, card: 'declined-7' },
    });
    expect(declined).toMatchObject({ successful: false, error: { code: 7 } });
    expect(await transaction(declined.transactionId)).toMatchObject({ currency: 'DKK' });
  });

  test.each([
    [{ amount: 1, card: 'gold' }, 'card: Must be the name or the number of a test card'],
    [{ amount: 1, expiry: '13/30' }, 'expiry: Must be MM/YY'],
    [{ amount: 1, currency: 'BYR' }, 'currency: BYR is withdrawn'],
    [{ amount: 1, currency: 'XXX' }, 'currency: The payment page rejects it: CURRENCY_INVALID'],
    [{ amount: 0 }, 'amount: Must be at least 1; it was 0'],
  ])('a payment with %j is rejected', async (input, message) => {
    const sent = subject.control.pay({ merchantId: EUR_MERCHANT, ...input });
    await expect(sent).rejects.toThrow(message);
  });

  test('every test card has a name, and its payment does what the name says', async () => {
    const cards = await subject.control.testCards();
    const names = cards.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['success', 'mastercard', 'declined-later-25']));
    const later = await subject.control.pay({
      ...{ merchantId: EUR_MERCHANT, amount: 5, card: 'declined-later-25' },
    });
    const again = await subject.payments.post(`/merchants/${EUR_MERCHANT}/transactions`, {
      ...{ transactionId: later.transactionId, amount: 5, currency: 'EUR' },
    });
    expect([later.successful, again.status, again.body.code]).toEqual([true, 400, 25]);
  });

  test('a reservation expires on request: what is left is voided', async () => {
    const paid = await subject.control.pay({ merchantId: EUR_MERCHANT, amount: 1_000 });
    await subject.payments.post(`/transactions/${paid.transactionId}/captures`, { amount: 300 });
    expect(await subject.control.expire(paid.transactionId)).toMatchObject({ voided: 700 });
    expect(await transaction(paid.transactionId)).toMatchObject({
      ...{ pendingAmount: 0, voidedAmount: 700, capturedAmount: 300 },
      trail: [{ capture: true }, { void: true, amount: 700 }],
    });
    const twice = subject.control.expire(`txn_${paid.transactionId}`);
    await expect(twice).rejects.toThrow('Nothing of this transaction is reserved');
  });

  test('a dispute may lack its reason and due date, have any reason, and is decided on request', async () => {
    const id = await captured();
    const { disputeId } = await subject.control.disputes.open({
      ...{ transactionId: id, amount: 400, reason: null, due: null },
    });
    const bare = (await subject.payments.get(`/disputes/${disputeId}`)).body.dispute;
    expect(Object.keys(bare)).toEqual(['id', 'merchantId', 'transactionId', 'created', 'amount']);
    const reason = { code: 4853, title: 'Goods were damaged' };
    const due = '2031-01-01T00:00:00.000Z';
    const other = await subject.control.disputes.open({ transactionId: id, reason, due });
    const full = (await subject.payments.get(`/disputes/${other.disputeId}`)).body.dispute;
    expect(full).toMatchObject({ amount: 600, reason, due });
    await expect(subject.control.disputes.open({ transactionId: id })).rejects.toThrow(
      'Nothing of this transaction is captured and not disputed',
    );
    await subject.control.disputes.decide(disputeId, 'lost');
    expect((await transaction(id)).trail[1]).toMatchObject({
      ...{ amount: 400, balance: -1_900, dispute: { id: disputeId, lost: true } },
    });
    const twice = subject.control.disputes.decide(disputeId, 'won');
    await expect(twice).rejects.toMatchObject({ status: 409 });
  });

  test('a fraud alert may lack its reason and the report, and there is one for a transaction', async () => {
    const bare = await captured();
    const { fraudId } = await subject.control.fileFraudAlert({
      ...{ transactionId: bare, reason: null, reported: null },
    });
    const alert = (await subject.payments.get(`/frauds/${fraudId}`)).body.fraud;
    expect(Object.keys(alert)).toEqual(['id', 'merchantId', 'transactionId', 'created']);
    const twice = subject.control.fileFraudAlert({ transactionId: bare });
    await expect(twice).rejects.toThrow('has a fraud alert already');
    for (const reason of [0, 8]) {
      const made = await subject.control.fileFraudAlert({
        transactionId: await captured(),
        reason,
      });
      const shown = (await subject.payments.get(`/frauds/${made.fraudId}`)).body.fraud;
      expect([shown.reason, typeof shown.reported]).toEqual([reason, 'string']);
    }
  });

  test('a payout is a line that takes the amount from the balance, and no more than there is', async () => {
    await captured();
    const balance = async () =>
      (await subject.payments.get(`/merchants/${EUR_MERCHANT}`)).body.merchant.balance;
    const before = await balance();
    const { lineId } = await subject.control.payouts.make({
      merchantId: EUR_MERCHANT,
      amount: 100,
    });
    const line = await lineOf(lineId);
    expect(line).toEqual({
      ...{ id: lineId, created: line.created, merchantId: EUR_MERCHANT, test: true },
      ...{ balance: -100, fee: 0, bank: { iban: 'DE89370400440532013000' } },
      ...{ payout: true, description: 'Payout' },
    });
    expect(await balance()).toBe(before - 100);
    const rest = await subject.control.payouts.make({ merchantId: EUR_MERCHANT });
    expect([rest.amount, await balance()]).toEqual([before - 100, 0]);
    const more = subject.control.payouts.make({ merchantId: EUR_MERCHANT });
    await expect(more).rejects.toThrow(
      'Nothing can be paid out: the balance of the merchant is EUR 0',
    );
    const { faults } = await ledgerFaults({ payments: subject.payments, id: EUR_MERCHANT });
    expect(faults).toEqual([]);
  });

  test('a schedule pays out until it is stopped', async () => {
    expect(await subject.control.payouts.schedule()).toEqual({ everyMs: null, next: null });
    await captured();
    const hour = 3_600_000;
    const { next } = await subject.control.payouts.setSchedule(hour);
    await subject.control.clock.advance({ ms: hour });
    const payouts = async () =>
      (await subject.payments.get(`/merchants/${EUR_MERCHANT}/lines?limit=1000`)).body.filter(
        (line: { payout?: true }) => line.payout,
      );
    const [line] = await payouts();
    expect(line.created).toBe(next);
    const count = (await payouts()).length;
    await subject.control.payouts.setSchedule(null);
    await captured();
    await subject.control.clock.advance({ ms: 3 * hour });
    expect((await payouts()).length).toBe(count);
  });

  test('the key of an app is hidden in the lists of apps, and still works', async () => {
    const caller = await newCaller(subject);
    const apps = async () =>
      (await subject.payments.get(`/merchants/${EUR_MERCHANT}/apps?limit=10`)).body.find(
        ({ id }: { id: string }) => id === caller.id,
      );
    expect(await apps()).toMatchObject({ name: 'Partner', key: caller.key });
    await subject.control.hideKey(caller.id);
    expect(Object.keys(await apps())).toEqual(['id', 'name', 'created']);
    expect((await caller.payments.get('/me')).status).toBe(200);
    await subject.control.hideKey(caller.id, false);
    expect(await apps()).toMatchObject({ key: caller.key });
  });

  test('a scene has payments in every state, and the same seed makes the same scene', async () => {
    const first = await subject.control.makeScene({ seed: 7 });
    const second = await subject.control.makeScene({ seed: 7 });
    const without = ({ payments, merchant }: typeof first) => ({
      merchant: { ...merchant, id: '', key: '' },
      payments: payments.map((payment) => ({
        ...payment,
        transactionId: '',
        disputeId: payment.disputeId === undefined ? undefined : '',
        later: payment.later.length,
      })),
    });
    expect(without(second)).toEqual(without(first));
    expect(second.merchant.id).not.toBe(first.merchant.id);
    const other = await subject.control.makeScene({ seed: 8 });
    expect(without(other)).not.toEqual(without(first));
    const shown = Object.fromEntries(
      await Promise.all(
        first.payments.map(async ({ state, transactionId }) => {
          const {
            capturedAmount,
            refundedAmount,
            voidedAmount,
            pendingAmount,
            disputedAmount,
            ...rest
          } = await transaction(transactionId);
          const signs = {
            capturedAmount,
            refundedAmount,
            voidedAmount,
            pendingAmount,
            disputedAmount,
          };
          const present = Object.keys(signs).filter(
            (name) => signs[name as keyof typeof signs] > 0,
          );
          const outcome = rest.trail.at(-1)?.dispute;
          return [
            state,
            [rest.successful, ...present, ...(outcome ? Object.keys(outcome).slice(1) : [])],
          ];
        }),
      ),
    );
    expect(shown).toEqual({
      declined: [false],
      reserved: [true, 'pendingAmount'],
      partlyCaptured: [true, 'capturedAmount', 'pendingAmount'],
      captured: [true, 'capturedAmount'],
      partlyRefunded: [true, 'capturedAmount', 'refundedAmount'],
      refunded: [true, 'capturedAmount', 'refundedAmount'],
      voided: [true, 'voidedAmount'],
      disputeOpen: [true, 'capturedAmount', 'disputedAmount'],
      disputeWon: [true, 'capturedAmount', 'disputedAmount', 'won'],
      disputeLost: [true, 'capturedAmount', 'disputedAmount', 'lost'],
      fraudAlert: [true, 'capturedAmount'],
      recurring: [true, 'capturedAmount'],
    });
    const alerts = `/frauds?limit=10&filter[merchantId]=${first.merchant.id}`;
    expect((await subject.payments.get(alerts)).body).toHaveLength(1);
    const later = first.payments.find(({ state }) => state === 'recurring')?.later ?? [];
    expect(await transaction(later[2] ?? '')).toMatchObject({ recurring: true });
    const { faults } = await ledgerFaults({ payments: subject.payments, id: first.merchant.id });
    expect(faults).toEqual([]);
  });

  test('a scene takes a currency, a name, amounts and counts, and is made whole or not at all', async () => {
    const scene = await subject.control.makeScene({
      ...{
        currency: 'SEK',
        name: 'My shop',
        payments: [{ state: 'captured', amount: 50, count: 3 }],
      },
    });
    expect(scene.merchant).toMatchObject({ name: 'My shop', currency: 'SEK' });
    expect(scene.payments.map(({ amount }) => amount)).toEqual([50, 50, 50]);
    const bad = subject.control.makeScene({ appId: 'f'.repeat(24) });
    await expect(bad).rejects.toThrow('appId: Must be the id of an app');
    await expect(subject.control.makeScene({ currency: 'JPY' })).rejects.toThrow(
      'funding currency',
    );
  });

  test('the dispute of a scene is decided by its id, or by that of its transaction', async () => {
    const { payments } = await subject.control.makeScene({
      payments: [{ state: 'disputeOpen', count: 2 }, { state: 'captured' }],
    });
    const [one, two, captured] = payments;
    const { decide, open } = subject.control.disputes;
    await decide(one?.disputeId ?? '', 'lost');
    await decide(`txn_${two?.transactionId}`, 'won');
    await expect(decide(one?.disputeId ?? '', 'won')).rejects.toThrow('has its outcome already');
    await expect(decide(two?.disputeId ?? '', 'won')).rejects.toThrow('has its outcome already');
    await expect(decide(two?.transactionId ?? '', 'won')).rejects.toThrow(
      'The transaction has no open dispute',
    );
    expect(captured?.disputeId).toBeUndefined();
    const transactionId = captured?.transactionId ?? '';
    for (let count = 0; count < 2; count++) await open({ transactionId, amount: 5 });
    await expect(decide(transactionId, 'won')).rejects.toThrow('several open disputes');
  });

  test('each test card says what it leads to', async () => {
    const cards = await subject.control.testCards();
    const textOf = (name: string) => cards.find((card) => card.name === name)?.description;
    expect(cards.filter(({ description }) => !/^[A-Z].+\.$/.test(description))).toEqual([]);
    expect(textOf('declined-7')).toBe(
      'Every payment is declined with processing error 7, "Insufficient funds".',
    );
    expect(textOf('dispute-lost')).toBe(
      'Every capture is disputed. The merchant loses two seconds later.',
    );
  });

  test('the outbox has the mails of invitations, and the request log no secret', async () => {
    const member = { email: 'new.member@example.com' };
    await subject.payments.post(`/merchants/${EUR_MERCHANT}/users`, member);
    const [mail] = await subject.control.outbox();
    expect(mail).toMatchObject({
      ...{ recipient: member.email, subject: 'You are a member of Nordlys Kaffee', sent: false },
    });
    await subject.control.requests.clear();
    const key = subject.app.key;
    await subject.users.get(`/users/${key}`);
    await subject.payments.get(`/transactions/${key}?a=${key}`);
    await subject.payments.get(`/merchants/${EUR_MERCHANT}`);
    const logged = await subject.control.requests.list();
    expect(logged.map(({ method, path, ids, status }) => [method, path, ids, status])).toEqual([
      ['GET', '/users/:id', [], 404],
      ['GET', '/transactions/:id', [], 404],
      ['GET', '/merchants/:id', [EUR_MERCHANT], 200],
    ]);
    expect(JSON.stringify(logged)).not.toContain(key);
    const [latest] = logged.slice(-1);
    const first = (latest?.number ?? 0) - 2;
    expect(await subject.control.requests.list({ after: first + 2 })).toEqual([]);
    expect(await subject.control.requests.list({ after: first, limit: 1 })).toEqual([logged[1]]);
    expect(await subject.control.requests.list({ limit: 1 })).toEqual([latest]);
  });
});
