/**
 * An independent model of payments, captures, refunds, voids and disputes. It computes with whole
 * numbers from the rules alone and shares no code with the sandbox, so that the two can be
 * compared.
 */

/** Millionths of a euro for one major unit. */
const euros: Readonly<Record<string, bigint>> = {
  EUR: 1_000_000n,
  USD: 920_000n,
  GBP: 1_170_000n,
  JPY: 6_200n,
  CZK: 40_000n,
  DKK: 134_000n,
  PLN: 232_000n,
  KWD: 3_000_000n,
  HUF: 2_500n,
  NOK: 86_000n,
  RON: 201_000n,
  SEK: 88_000n,
  BGN: 511_292n,
  CHF: 1_040_000n,
};
const EUROS_OF_OTHERS = 100_000n;
const exponents: Readonly<Record<string, number>> = { JPY: 0, CLP: 0, KWD: 3, CLF: 4 };
const MOST = 999_999_999_999n;
const DISPUTE_DELAY_MS = 2_000;
const DISPUTE_REASON = 'Services not provided or merchandise not received';

/** Every funding currency. */
export const fundingCurrencies = [
  ...['BGN', 'CHF', 'CZK', 'DKK', 'EUR', 'GBP', 'HUF', 'NOK', 'PLN', 'RON', 'SEK', 'USD'],
] as const;

/**
 * Currencies of payments: with every exponent, and with and without their own exchange rate. BGN
 * cannot be charged since 2026.
 */
export const chargedCurrencies = [
  ...fundingCurrencies.filter((currency) => currency !== 'BGN'),
  ...(['JPY', 'KWD', 'CLP', 'AUD', 'BYN', 'CLF'] as const),
] as const;

/** The behaviour of a test card. */
export interface ModelCard {
  readonly number: string;
  readonly scheme?: 'mastercard';
  /** The processing error of every payment. */
  readonly fails?: number;
  /** The processing error of later payments only. */
  readonly failsLater?: number;
  readonly disputes?: 'open' | 'won' | 'lost';
  readonly fraud?: true;
  readonly tds?: 'full' | 'attempt';
}

const errorCodes = Array.from({ length: 31 }, (_, index) => index + 1).filter(
  (code) => code !== 23 && code !== 24,
);

/** Cards with which a first payment succeeds. */
export const workingCards: readonly ModelCard[] = [
  { number: '4100000000000000' },
  { number: '1000000000000000' },
  { number: '5100000000000000', scheme: 'mastercard' },
  { number: '4100000000000100', disputes: 'open' },
  { number: '4100000000000101', disputes: 'won' },
  { number: '4100000000000102', disputes: 'lost' },
  { number: '4100000000000110', fraud: true },
  { number: '4100000000000120', failsLater: 7 },
  { number: '4100000000000130', tds: 'full' },
  { number: '4100000000000131', tds: 'attempt' },
];

/** Cards with which no payment succeeds. */
export const failingCards: readonly ModelCard[] = [
  { number: '4200000000000000', fails: 3 },
  ...errorCodes.map((fails) => ({
    number: `41000000000000${String(fails).padStart(2, '0')}`,
    fails,
  })),
];

/** The fields of a merchant that its transactions depend on. */
export interface ModelMerchant {
  readonly id: string;
  readonly funding: string;
  readonly descriptor: string;
}

/** A requested payment. */
export interface Charge {
  readonly card: ModelCard;
  /** The last millisecond in which the card is valid. */
  readonly expiry: number;
  /** True for a payment from an earlier one. */
  readonly merchantInitiated: boolean;
  readonly currency: string;
  readonly amount: bigint;
  readonly descriptor?: string | undefined;
}

interface Entry {
  readonly kind: Kind | 'dispute';
  readonly created: number;
  readonly amount: bigint;
  readonly gross: bigint;
  readonly flat: bigint;
  readonly rate: bigint;
  readonly descriptor?: string;
  readonly outcome?: 'won' | 'lost';
}

interface Line {
  readonly kind: 'capture' | 'refund' | 'dispute';
  readonly created: number;
  readonly amount: bigint;
  readonly balance: bigint;
  readonly fee: bigint;
  readonly description: string;
  readonly outcome?: 'won' | 'lost';
}

interface Dispute {
  readonly amount: bigint;
  readonly gross: bigint;
  readonly created: number;
  settled: boolean;
}

/** A transaction and everything that happened to it. */
export interface ModelTransaction extends Charge {
  readonly merchant: ModelMerchant;
  readonly created: number;
  /** The processing error of a failed payment. */
  readonly error: number | undefined;
  readonly trail: Entry[];
  readonly lines: Line[];
  readonly disputes: Dispute[];
  fraudAlerts: number;
}

/** The kinds of movements. */
export type Kind = 'capture' | 'refund' | 'void';

/** A requested capture, refund or void. */
export interface Move {
  readonly amount: bigint;
  readonly currency?: string | undefined;
  readonly descriptor?: string | undefined;
}

/** One invalid field of a 400. It has a message only if the test checks it. */
export interface ModelError {
  readonly field: string;
  readonly message?: string;
}

/** Creates a payment, which succeeds or fails with its processing error. */
export function charge(merchant: ModelMerchant, input: Charge, now: number): ModelTransaction {
  const { card, expiry, merchantInitiated } = input;
  const error =
    expiry < now ? 6 : (card.fails ?? (merchantInitiated ? card.failsLater : undefined));
  return {
    ...input,
    merchant,
    error,
    created: now,
    trail: [],
    lines: [],
    disputes: [],
    fraudAlerts: 0,
  };
}

/** Returns the errors of an amount and a descriptor. */
export function inputErrors({ amount, descriptor = '' }: Move): ModelError[] {
  const errors: ModelError[] = [];
  if (amount < 1n || amount > MOST) errors.push({ field: 'amount' });
  if (descriptor.length > 22) errors.push({ field: 'descriptor' });
  return errors;
}

/** Moves money if the rules allow it. Otherwise, returns the errors and changes nothing. */
export function move(
  transaction: ModelTransaction,
  kind: Kind,
  { amount, currency, descriptor }: Move,
  now: number,
): ModelError[] {
  const errors = inputErrors(kind === 'void' ? { amount } : { amount, descriptor });
  if (errors.length > 0) return errors;
  const most = availableFor(transaction, kind);
  if (amount > most) {
    const available = `${transaction.currency} ${majorUnits(most, transaction.currency, true)}`;
    errors.push({ field: 'amount', message: `Can ${kind} at most ${available}` });
  }
  if (kind === 'capture' && currency !== undefined && currency !== transaction.currency) {
    errors.push({ field: 'currency' });
  }
  if (errors.length > 0) return errors;
  const text = descriptor || transaction.descriptor || transaction.merchant.descriptor;
  if (kind === 'capture') capture(transaction, amount, text, now);
  if (kind === 'refund') refund(transaction, amount, text, now);
  if (kind === 'void') {
    transaction.trail.push({ kind, created: now, amount, gross: 0n, flat: 0n, rate: 0n });
  }
  return [];
}

/** Returns the amount that is available for capture, refund or void. */
export function availableFor(transaction: ModelTransaction, kind: Kind): bigint {
  const done = (each: Kind) => total(transaction, each, 'amount');
  if (kind === 'refund') return done('capture') - done('refund');
  return transaction.error === undefined ? transaction.amount - done('capture') - done('void') : 0n;
}

function capture(
  transaction: ModelTransaction,
  amount: bigint,
  descriptor: string,
  created: number,
): void {
  const { funding } = transaction.merchant;
  const { card, disputes, lines, trail } = transaction;
  const gross = exchange(amount, transaction.currency, funding);
  const flat = exchange(25n, 'EUR', funding);
  if (card.fraud && !trail.some(({ kind }) => kind === 'capture')) transaction.fraudAlerts++;
  book(transaction, {
    ...{ kind: 'capture', created, amount, gross, descriptor },
    ...{ flat, rate: divide(gross * 25n, 1000n) },
  });
  if (card.disputes === undefined) return;
  disputes.push({ amount, gross, created, settled: false });
  const zero = { balance: 0n, fee: 0n };
  lines.push({ kind: 'dispute', created, amount, ...zero, description: DISPUTE_REASON });
}

/**
 * Together, all refunds take their share of all captures. This refund takes the difference to what
 * earlier refunds took.
 */
function refund(
  transaction: ModelTransaction,
  amount: bigint,
  descriptor: string,
  created: number,
): void {
  const refunded = total(transaction, 'refund', 'amount') + amount;
  const captured = total(transaction, 'capture', 'amount');
  function difference(column: 'gross' | 'rate'): bigint {
    const share = divide(total(transaction, 'capture', column) * refunded, captured);
    const rest = share + total(transaction, 'refund', column); // refunds have negative amounts
    return rest > 0n ? rest : 0n;
  }
  const gross = -difference('gross');
  book(transaction, {
    ...{ kind: 'refund', created, amount, gross, descriptor },
    ...{ flat: 0n, rate: -difference('rate') },
  });
}

/** Gives due disputes their outcome, each at its own time. Returns whether there were any. */
export function settle(transaction: ModelTransaction, now: number): boolean {
  const { card, merchant } = transaction;
  const outcome = card.disputes;
  if (outcome === undefined || outcome === 'open') return false;
  const due = transaction.disputes.filter(
    ({ settled, created }) => !settled && created + DISPUTE_DELAY_MS <= now,
  );
  for (const dispute of due) {
    dispute.settled = true;
    const lost = outcome === 'lost';
    book(transaction, {
      ...{ kind: 'dispute', created: dispute.created + DISPUTE_DELAY_MS },
      ...{ amount: dispute.amount, outcome },
      gross: lost ? -dispute.gross : 0n,
      flat: lost ? exchange(1500n, 'EUR', merchant.funding) : 0n,
      rate: 0n,
    });
  }
  return due.length > 0;
}

/** Adds an entry to the trail, and its line. */
function book({ trail, lines }: ModelTransaction, entry: Entry & { kind: Line['kind'] }): void {
  trail.push(entry);
  const { kind, created, amount, gross, flat, rate, outcome } = entry;
  lines.push({
    ...{ kind, created, amount, balance: gross - flat - rate, fee: flat + rate },
    description: entry.descriptor ?? DISPUTE_REASON,
    ...(outcome === undefined ? {} : { outcome }),
  });
}

/** Returns the change of the merchant's balance by a transaction. */
export function balanceOf({ lines }: ModelTransaction): bigint {
  return lines.reduce((sum, { balance }) => sum + balance, 0n);
}

/** Returns the transaction as the service shows it, without ids and error messages. */
export function showTransaction(transaction: ModelTransaction) {
  const { merchant, card, amount, currency, merchantInitiated, error, trail, disputes } =
    transaction;
  const done = (kind: Kind) => Number(total(transaction, kind, 'amount'));
  return {
    test: true,
    merchantId: merchant.id,
    created: date(transaction.created),
    amount: Number(amount),
    refundedAmount: done('refund'),
    capturedAmount: done('capture'),
    voidedAmount: done('void'),
    pendingAmount: Number(availableFor(transaction, 'void')),
    disputedAmount: disputes.reduce((sum, each) => sum + Number(each.amount), 0),
    card: {
      bin: card.number.slice(0, 6),
      last4: card.number.slice(12),
      expiry: date(transaction.expiry),
      code: { present: !merchantInitiated },
      scheme: card.scheme ?? 'visa',
    },
    tds: merchantInitiated ? 'none' : (card.tds ?? 'none'),
    currency,
    custom: null,
    recurring: merchantInitiated,
    successful: error === undefined,
    error: error ?? false,
    descriptor: transaction.descriptor || merchant.descriptor,
    trail: trail.map(showEntry),
  };
}

function showEntry({ kind, created, amount, gross, flat, rate, descriptor, outcome }: Entry) {
  return {
    fee: { flat: Number(flat), rate: Number(rate) },
    amount: Number(amount),
    balance: Number(gross - flat - rate),
    created: date(created),
    [kind]: kind === 'dispute' ? { [outcome ?? '']: true } : true,
    ...(descriptor === undefined ? {} : { descriptor }),
  };
}

/** Returns the lines of a transaction as the service shows them, oldest first, without ids. */
export function showLines({ lines, currency, merchant }: ModelTransaction) {
  return lines.map(({ kind, created, amount, balance, fee, description, outcome }) => ({
    created: date(created),
    merchantId: merchant.id,
    test: true,
    balance: Number(balance),
    fee: Number(fee),
    amount: { currency, amount: Number(amount) },
    [kind]: true,
    ...(outcome === undefined ? {} : { [outcome]: true }),
    description,
  }));
}

/** Converts minor units to major units. `shortest` omits trailing zeros. */
export function majorUnits(amount: bigint, currency: string, shortest = false): string {
  const exponent = exponents[currency] ?? 2;
  const unit = 10n ** BigInt(exponent);
  const fraction = exponent === 0 ? '' : `.${String(amount % unit).padStart(exponent, '0')}`;
  return `${amount / unit}${shortest ? fraction.replace(/\.?0*$/, '') : fraction}`;
}

function exchange(amount: bigint, from: string, to: string): bigint {
  if (from === to) return amount;
  const unit = (code: string) => 10n ** BigInt(exponents[code] ?? 2);
  const value = (code: string) => euros[code] ?? EUROS_OF_OTHERS;
  return divide(amount * value(from) * unit(to), value(to) * unit(from));
}

/** Divides and rounds half away from zero. The divisor must be positive. */
function divide(dividend: bigint, divisor: bigint): bigint {
  const rest = dividend % divisor;
  const whole = dividend / divisor;
  if (rest < 0n) return -rest * 2n >= divisor ? whole - 1n : whole;
  return rest * 2n >= divisor ? whole + 1n : whole;
}

function total(
  { trail }: ModelTransaction,
  kind: Kind,
  column: 'amount' | 'gross' | 'rate',
): bigint {
  return trail.reduce((sum, entry) => (entry.kind === kind ? sum + entry[column] : sum), 0n);
}

function date(time: number): string {
  return new Date(time).toISOString();
}
