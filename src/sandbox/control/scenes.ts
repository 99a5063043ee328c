import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import { invalidField } from '../http/http-error.ts';
import type { DescribedRoute } from '../http/operation.ts';
import { authorise, cardOf } from '../payments/authorise.ts';
import { isChargeable } from '../payments/chargeable-currencies.ts';
import { settleDisputesWithin } from '../payments/disputes.ts';
import type { MerchantRow } from '../payments/merchant-row.ts';
import { createMerchant, isFundingCurrency } from '../payments/merchants.ts';
import { applyMovement } from '../payments/movements.ts';
import { testCards } from '../payments/test-cards.ts';
import type { TransactionRow } from '../payments/transaction-row.ts';
import { requireDemoApp } from '../seed/demo-app.ts';
import { createRandom } from '../seed/demo-data.ts';
import { captured, refunded, type Step, voided } from '../seed/scenarios.ts';
import type { Controlled } from './controlled.ts';
import { defineOperation } from './operation.ts';
import {
  LATER_CHARGES,
  type PaymentState,
  type Scene,
  type SceneInput,
  sceneInput,
  sceneOutput,
} from './scene.ts';

/** The card that leads to each state, and what follows the payment. */
const plans: Readonly<Record<PaymentState, { card: string; steps: readonly Step[] }>> = {
  declined: { card: '4100000000000007', steps: [] },
  reserved: { card: '4100000000000000', steps: [] },
  partlyCaptured: { card: '4100000000000000', steps: [captured(40)] },
  captured: { card: '4100000000000000', steps: [captured(100)] },
  partlyRefunded: { card: '5100000000000000', steps: [captured(100), refunded(30)] },
  refunded: { card: '5100000000000000', steps: [captured(100), refunded(100)] },
  voided: { card: '4100000000000000', steps: [voided(100)] },
  disputeOpen: { card: '4100000000000100', steps: [captured(100)] },
  disputeWon: { card: '4100000000000101', steps: [captured(100)] },
  disputeLost: { card: '4100000000000102', steps: [captured(100)] },
  fraudAlert: { card: '4100000000000110', steps: [captured(100)] },
  recurring: { card: '4100000000000000', steps: [captured(100)] },
};

const EXPIRY_YEARS = 5;
const TOWNS = ['Aarhus', 'Bergen', 'Cork', 'Delft', 'Espoo', 'Ghent', 'Linz', 'Porto', 'Turin'];
const TRADES = ['Books', 'Coffee', 'Cycles', 'Flowers', 'Pottery', 'Records', 'Tea', 'Toys'];

interface Stage {
  readonly environment: Environment;
  readonly tx: Queryable;
  readonly merchant: MerchantRow;
  /** Returns an integer from 0 to `below` - 1 that follows from the seed. */
  readonly random: (below: number) => number;
}

/**
 * Makes a merchant with payments, in one database transaction. With the same input, everything is
 * the same but ids, keys and times.
 */
async function makeScene(environment: Environment, input: SceneInput): Promise<Scene> {
  if (!isFundingCurrency(input.currency)) {
    throw invalidField('currency', 'Must be a funding currency');
  }
  if (!isChargeable(input.currency, environment.clock())) {
    throw invalidField('currency', 'Is withdrawn: no payment can be made in it any more');
  }
  return environment.database.transaction(async (tx) => {
    const random = createRandom(input.seed);
    const merchant = await insertMerchant(environment, tx, input, random);
    const stage: Stage = {
      environment: { ...environment, disputeDelayMs: 0 },
      tx,
      merchant,
      random,
    };
    const payments: Scene['payments'] = [];
    for (const { state, amount, count } of input.payments) {
      for (let made = 0; made < count; made++) {
        payments.push(await insertPayment(stage, state, amount));
      }
    }
    const { id, key, name, currency } = merchant;
    return { merchant: { id, key, name: name ?? '', currency }, payments };
  });
}

async function insertMerchant(
  environment: Environment,
  tx: Queryable,
  { name, currency, appId }: SceneInput,
  random: Stage['random'],
): Promise<MerchantRow> {
  const given = `${TOWNS[random(TOWNS.length)]} ${TRADES[random(TRADES.length)]}`;
  const app = appId ?? (await requireDemoApp(tx)).id;
  const known = await tx.query('SELECT 1 FROM app WHERE id = $1', [app]);
  if (known.length === 0) throw invalidField('appId', 'Must be the id of an app');
  const domain = `${given.toLowerCase().replace(' ', '-')}.example`;
  return createMerchant(environment, tx, app, {
    name: name ?? given,
    currency,
    test: true,
    email: `shop@${domain}`,
    website: `https://${domain}`,
    descriptor: given.toUpperCase(),
    'company.country': 'DK',
    'company.number': undefined,
    'bank.iban': undefined,
  });
}

async function insertPayment(
  stage: Stage,
  state: PaymentState,
  given: number | undefined,
): Promise<Scene['payments'][number]> {
  const { environment, merchant, random } = stage;
  const { card: number, steps } = plans[state];
  const card = testCards.get(number);
  if (card === undefined) throw new Error(`${number} is not a test card.`);
  // Drawn even if an amount is given, so that it does not change the payments after this one.
  const drawn = 100 * (5 + random(500));
  const amount = given ?? drawn;
  const reference = `Order ${1000 + random(9000)}`;
  const year = environment.clock().getUTCFullYear() + EXPIRY_YEARS;
  const row = await charge(stage, {
    card: { ...card, expiry: new Date(Date.UTC(year, 11, 31, 23, 59, 59, 999)) },
    merchantInitiated: false,
    amount,
    reference,
  });
  await moveMoney(stage, row, steps);
  const later: string[] = [];
  for (let count = 0; state === 'recurring' && count < LATER_CHARGES; count++) {
    const charged = await charge(stage, {
      card: cardOf(row),
      merchantInitiated: true,
      amount,
      reference,
    });
    await moveMoney(stage, charged, steps);
    later.push(charged.id);
  }
  const { currency } = merchant;
  const disputed = await disputeOf(stage.tx, row.id);
  return { state, transactionId: row.id, amount, currency, reference, ...disputed, later };
}

async function disputeOf(tx: Queryable, transactionId: string): Promise<{ disputeId?: string }> {
  const [dispute] = await tx.query<{ id: string }>(
    'SELECT id FROM dispute WHERE transaction_id = $1',
    [transactionId],
  );
  return dispute === undefined ? {} : { disputeId: dispute.id };
}

function charge(
  { environment, tx, merchant }: Stage,
  {
    reference,
    ...payment
  }: Pick<Parameters<typeof authorise>[3], 'card' | 'merchantInitiated' | 'amount'> & {
    reference: string;
  },
): Promise<TransactionRow> {
  const { currency } = merchant;
  const custom = { reference };
  return authorise(environment, tx, merchant, { ...payment, currency, custom, tds: 'none' });
}

async function moveMoney(
  { environment, tx }: Stage,
  row: TransactionRow,
  steps: readonly Step[],
): Promise<void> {
  let current = row;
  for (const [kind, percent] of steps) {
    const amount = Math.max(1, Math.floor((row.amount * percent) / 100));
    current = await applyMovement(environment, tx, current, kind, { amount });
  }
  await settleDisputesWithin(environment, tx);
}

/** Makes scenes: a merchant with payments in every state. */
export function sceneOperations({ environment }: Controlled): DescribedRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/scenes',
      summary:
        'Make a merchant with payments in the states that you name. The same input makes the same scene, with new ids.',
      body: sceneInput,
      output: sceneOutput,
      status: 201,
      handle: ({ body }) => makeScene(environment, body),
    }),
  ];
}
