import { z } from 'zod';
import { anyText as text } from '../http/fields.ts';
import { processingErrors } from '../payments/processing-errors.ts';

/**
 * Like the ids of `nextId`: the seconds, `7469`, and 31 bits. Above the latest of them, there must be
 * room for new ones.
 */
const OWN_ID = /^(?!ffffffff)[0-9a-f]{8}74690000[0-7][0-9a-f]{7}$/;

const id = z.string().regex(OWN_ID, 'Must be an id that a sandbox made');
const time = z.iso
  .datetime({ offset: true })
  .refine((value) => !(Date.parse(value) < 0), 'Must not be before the year 1970');
const currency = z.string().regex(/^[A-Z]{3}$/, 'Must be three capital letters');
const seq = z.int().min(1);
const amount = z.int().min(1);
const counter = z.int().min(0);
const errorCode = z.int().refine((code) => processingErrors.has(code), 'Must be a published code');
const behaviour = z.string().regex(/^[\w:-]{1,50}$/, 'Must be a behaviour of a test card');

const card = {
  card_bin: z.string().regex(/^\d{6}$/, 'Must be the first six digits of a card number'),
  card_last4: z.string().regex(/^\d{4}$/, 'Must be the last four digits of a card number'),
  card_expiry: time,
  card_scheme: z.enum(['visa', 'mastercard']),
  card_behaviour: behaviour,
};

const ofMerchant = { id, merchant_id: id, created: time };

/**
 * The rows of every table, as the database writes them. Nothing else may be in a file: what the
 * services serve is what they could have made themselves.
 */
export const snapshotRecords = z.strictObject({
  user_record: rows({ seq, id: text, name: text, email: text, address: text }),
  app: rows({
    ...{ id, name: text.nullable(), key: text, key_digest: text },
    ...{ created: time, key_hidden: z.boolean() },
  }),
  demo_app: rows({ app_id: id }).length(1, 'Must be one row'),
  merchant: rows({
    ...{ id, key: text, name: text.nullable(), currency, test: z.boolean(), email: text },
    ...{ website: text, descriptor: text, country: text, company_number: text.nullable() },
    ...{ iban: text.nullable(), created: time, balance: z.int() },
  }),
  merchant_app: rows({ app_id: id, merchant_id: id }),
  person: rows({ id, email: text, created: time }),
  member: rows({ merchant_id: id, person_id: id }),
  transaction: rows({
    ...{ ...ofMerchant, test: z.boolean(), currency, amount, captured: counter },
    ...{ refunded: counter, voided: counter, disputed: counter, descriptor: text, ...card },
    ...{ code_present: z.boolean(), tds: z.enum(['none', 'attempt', 'full']) },
    ...{ custom: z.unknown(), recurring: z.boolean(), error_code: errorCode.nullable() },
  }),
  line: rows({
    ...{ ...ofMerchant, test: z.boolean(), balance: z.int(), fee: z.int(), iban: text.nullable() },
    ...{ transaction_id: id.nullable(), currency: currency.nullable(), amount: z.int().nullable() },
    ...{ kind: z.enum(['capture', 'refund', 'dispute', 'payout']), dispute_id: id.nullable() },
    ...{ outcome: z.enum(['won', 'lost']).nullable(), description: text },
  }),
  dispute: rows({
    ...{ ...ofMerchant, transaction_id: id, amount, gross: z.int() },
    ...{ verdict: z.enum(['won', 'lost']).nullable(), verdict_due: time.nullable() },
    ...{ settled: z.boolean(), reason_code: z.int32().nullable(), reason_title: text.nullable() },
    due: time.nullable(),
  }),
  fraud_alert: rows({
    ...{ ...ofMerchant, transaction_id: id, reason: z.int().min(0).max(8).nullable() },
    reported: time.nullable(),
  }),
  trail_entry: rows({
    ...{ seq, transaction_id: id, kind: z.enum(['capture', 'refund', 'void', 'dispute']) },
    ...{ created: time, amount, gross: z.int(), fee_flat: z.int(), fee_rate: z.int() },
    ...{ balance: z.int(), descriptor: text.nullable(), line_id: id.nullable() },
    ...{ dispute_id: id.nullable(), outcome: z.enum(['won', 'lost']).nullable() },
  }),
  saved_card: rows({ ...ofMerchant, ...card, notes: text.nullable() }),
  outbox: rows({
    ...{ seq, created: time, recipient: text, subject: text, body: text, sent: z.boolean() },
  }),
});

function rows<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.array(z.strictObject(shape));
}
