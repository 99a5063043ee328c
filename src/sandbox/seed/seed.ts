import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import { digestOf } from '../payments/access.ts';
import { applyMovement } from '../payments/apply-movement.ts';
import { createApp } from '../payments/apps.ts';
import { authorise } from '../payments/authorise.ts';
import { settleDisputesWithin } from '../payments/disputes.ts';
import { addMember } from '../payments/members.ts';
import type { MerchantRow } from '../payments/merchant-row.ts';
import { createMerchant, type MerchantInput } from '../payments/merchants.ts';
import { testCards } from '../payments/test-cards.ts';
import { insertUser } from '../users/users.ts';
import { people } from './people.ts';
import { createRandom, createUuids } from './random.ts';
import { type Story, stories } from './stories.ts';

/** The app whose key the start screen shows. */
export interface DemoApp {
  readonly id: string;
  readonly key: string;
}

const SEED_LOCK = 7_112_003;
const FIRST_DAY = Date.UTC(2026, 5, 1, 8);
const PAYMENTS = 120;
const EXPIRY = new Date(Date.UTC(2066, 7, 31, 23, 59, 59, 999));
const MINUTE = 60_000;

const shop = (
  input: Partial<MerchantInput> & Pick<MerchantInput, 'currency' | 'company.country'>,
) => ({
  name: undefined,
  test: true,
  email: '',
  website: '',
  descriptor: '',
  'company.number': undefined,
  'bank.iban': undefined,
  ...input,
});

const merchants: readonly MerchantInput[] = [
  shop({
    name: 'Nordlys Kaffee',
    currency: 'EUR',
    email: 'shop@nordlys.example',
    website: 'https://nordlys.example',
    descriptor: 'NORDLYS KAFFEE',
    'company.country': 'DE',
    'company.number': 'HRB 204118',
    'bank.iban': 'DE89370400440532013000',
  }),
  shop({
    name: 'Havnens Bageri',
    currency: 'DKK',
    email: 'hej@havnens.example',
    website: 'https://havnens.example',
    descriptor: 'HAVNENS BAGERI',
    'company.country': 'DK',
    'company.number': '38211502',
    'bank.iban': 'DK5000400440116243',
  }),
  shop({
    name: 'Harbour Cycles',
    currency: 'USD',
    email: 'hello@harbour.example',
    website: 'https://harbour.example',
    descriptor: 'HARBOUR CYCLES',
    'company.country': 'IE',
  }),
];

/**
 * Plants the demo data in an empty database, all of it or nothing, and answers the demo
 * app. Everything but the app's key is the same in every run. A given key replaces the
 * one that was kept.
 */
export function seed(environment: Environment, key?: string): Promise<DemoApp> {
  return environment.database.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [SEED_LOCK]);
    const [kept] = await tx.query<DemoApp>('SELECT id, key FROM app JOIN demo_app ON app_id = id');
    if (kept === undefined) return plant(environment, tx, key ?? environment.uuid());
    if (key === undefined || key === kept.key) return kept;
    await tx.query('UPDATE app SET key = $2, key_digest = $3 WHERE id = $1', [
      kept.id,
      key,
      digestOf(key),
    ]);
    return { id: kept.id, key };
  });
}

async function plant(outer: Environment, tx: Queryable, key: string): Promise<DemoApp> {
  const random = createRandom(2223);
  let time = FIRST_DAY;
  const environment: Environment = {
    ...outer,
    random,
    uuid: createUuids(random),
    clock: () => new Date(time),
  };
  const app = await createApp(environment, tx, 'Demo', key);
  await tx.query('INSERT INTO demo_app (app_id) VALUES ($1)', [app.id]);

  const shops: MerchantRow[] = [];
  for (const input of merchants) shops.push(await createMerchant(environment, tx, app.id, input));
  for (const [index, person] of people.entries()) {
    time += 7 * MINUTE;
    await insertUser(tx, { id: environment.uuid(), ...person });
    const shop = shops[Math.floor(index / 3)];
    if (shop !== undefined) await addMember(environment, tx, shop.id, person.email);
  }
  for (let count = 0; count < PAYMENTS; count++) {
    time += (300 + random(900)) * MINUTE;
    const merchant = shops[count % shops.length] as MerchantRow;
    const story = stories[Math.floor(count / shops.length) % stories.length] as Story;
    await tell(environment, tx, merchant, story, (minutes) => {
      time += minutes * MINUTE;
    });
  }
  return { id: app.id, key };
}

/** Plays one story: the payment, then its steps some time apart. */
async function tell(
  environment: Environment,
  tx: Queryable,
  merchant: MerchantRow,
  story: Story,
  wait: (minutes: number) => void,
): Promise<void> {
  const card = testCards.get(story.card);
  if (card === undefined) throw new Error(`${story.card} is not a test card`);
  const amount = 100 * (15 + environment.random(900));
  const row = await authorise(environment, tx, merchant, {
    card: { ...card, expiry: EXPIRY },
    merchantInitiated: story.later ?? false,
    amount,
    currency: story.currency ?? merchant.currency,
    custom: { reference: `Order ${1000 + environment.random(9000)}` },
    tds: card.behaviour.startsWith('tds:') ? card.behaviour.slice(4) : 'none',
  });
  let current = row;
  for (const [action, hundredths] of story.steps) {
    wait(3 + environment.random(90));
    const input = { amount: (amount / 100) * hundredths };
    current = await applyMovement(environment, tx, current, action, input);
    wait(1);
    await settleDisputesWithin(environment, tx);
  }
}
