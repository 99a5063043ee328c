/**
 * The records of the payments service that the benchmark reads. Every record follows from its
 * id, so all services that serve them agree, and every answer can be checked.
 * Specification: payments, "Resources and their fields".
 */

/** Whose credential a request carries. Every merchant has a name for each of them. */
export type Sender = 'a' | 'b';

/** The app keys of the senders. */
export const keys: Record<Sender, string> = { a: 'bench-key-a', b: 'bench-key-b' };

/** Lines of one merchant name this many merchants. */
const MERCHANTS_OF_LINES = 10;

const CREATED = '2026-11-01T12:00:00.000Z';
const CURRENCY = 'EUR';
const AMOUNT = 100_000;

/** The prefix of an id says what it belongs to; the rest is decimal digits. */
const PREFIX = { merchant: '6a78', transaction: '6b78', line: '6c78', capturable: '6d7823180000' };
const ID_LENGTH = 24;
const INDEX_DIGITS = 8;
/** Digits of the number that makes a capturable transaction different from all others. */
const COUNTER_DIGITS = 12;

const digits = (number: number, length: number) => String(number).padStart(length, '0');

/** The id of the merchant with an index. */
export function merchantId(index: number): string {
  return PREFIX.merchant + digits(index, ID_LENGTH - PREFIX.merchant.length);
}

function itemId(prefix: string, merchant: number, index: number): string {
  const rest = ID_LENGTH - prefix.length - INDEX_DIGITS;
  return prefix + digits(merchant, rest) + digits(index, INDEX_DIGITS);
}

/** The id of a transaction of which money can be captured. The mutations use each of them once. */
export function capturableId(counter: string): string {
  return PREFIX.capturable + counter;
}

/** A merchant, as one of the senders sees it. */
export function merchant(id: string, sender: Sender) {
  const index = Number(id.slice(PREFIX.merchant.length));
  return {
    id,
    key: `key-${digits(index, INDEX_DIGITS)}`,
    name: `Shop ${digits(index, INDEX_DIGITS)} of ${sender}`,
    currency: CURRENCY,
    test: true,
    email: 'shop@example.com',
    website: 'shop.example.com',
    descriptor: 'BENCH SHOP',
    company: { country: 'DE', number: 'HRB 1' },
    bank: { iban: 'DE00000000000000000000' },
    created: CREATED,
  };
}

/** One capture in a trail. */
export interface TrailEntry {
  readonly capture: true;
  readonly created: string;
  readonly amount: number;
  readonly balance: number;
  readonly fee: object;
  readonly descriptor: string;
  readonly lineId: string;
}

/** A transaction with the captures made so far. */
export function transaction(id: string, trail: readonly TrailEntry[] = []) {
  const captured = trail.reduce((sum, { amount }) => sum + amount, 0);
  return {
    id,
    test: true,
    merchantId: merchantId(Number(id.slice(PREFIX.transaction.length, -INDEX_DIGITS)) % 1_000_000),
    created: CREATED,
    amount: AMOUNT + Number(id.slice(-4)),
    refundedAmount: 0,
    capturedAmount: captured,
    voidedAmount: 0,
    pendingAmount: AMOUNT + Number(id.slice(-4)) - captured,
    disputedAmount: 0,
    card: {
      bin: '410000',
      last4: id.slice(-4),
      expiry: '2066-08-31T23:59:59.999Z',
      scheme: 'visa',
    },
    tds: 'full',
    currency: CURRENCY,
    custom: { order: id.slice(-INDEX_DIGITS) },
    recurring: false,
    successful: true,
    error: false,
    descriptor: 'BENCH SHOP',
    trail,
  };
}

/** A capture of a transaction, as an entry of its trail. */
export function capture(id: string, amount: number, count: number): TrailEntry {
  const fee = { flat: 0, rate: 0 };
  const lineId = PREFIX.line + id.slice(-COUNTER_DIGITS) + digits(count, INDEX_DIGITS);
  return {
    ...{ capture: true, created: CREATED, amount, balance: amount, fee },
    ...{ descriptor: 'BENCH SHOP', lineId },
  };
}

function indexOf(id: string): number {
  return Number(id.slice(PREFIX.merchant.length));
}

/** The newest transactions of a merchant. */
export function transactionsOf(merchant: string, limit: number) {
  return Array.from({ length: limit }, (_, index) =>
    transaction(itemId(PREFIX.transaction, indexOf(merchant), index)),
  );
}

/** The newest lines of a merchant: each with a transaction of its own, and one of ten merchants. */
export function linesOf(merchant: string, limit: number) {
  const first = indexOf(merchant);
  return Array.from({ length: limit }, (_, index) => ({
    id: itemId(PREFIX.line, first, index),
    merchantId: merchantId(first + (index % MERCHANTS_OF_LINES)),
    test: true,
    created: CREATED,
    balance: 995,
    fee: 5,
    description: 'BENCH SHOP',
    transactionId: itemId(PREFIX.transaction, first, index),
  }));
}

/** The app that a sender's key belongs to. */
export function identity(sender: Sender) {
  return { id: `app-${sender}`, name: `Bench ${sender}`, created: CREATED };
}

/** Every `Authorization` header that carries the key of a sender. */
export function authorizations(sender: Sender): readonly string[] {
  const key = keys[sender];
  return [`Bearer ${key}`, `Basic ${Buffer.from(`:${key}`).toString('base64')}`];
}
