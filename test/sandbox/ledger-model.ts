/**
 * What payments, captures, refunds, voids and disputes come to, worked out from the
 * rules alone in plain whole numbers. It shares nothing with the sandbox: two readings
 * of the same rules that must agree.
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
const exponents: Readonly<Record<string, number>> = { JPY: 0, CLP: 0, KWD: 3 };
const MOST = 999_999_999_999n;
const DISPUTE_DELAY_MS = 2_000;
const DISPUTE_REASON = 'Services not provided or merchandise not received';

/** Every currency that a merchant's account may be in. */
export const fundingCurrencies = [
  ...['BGN', 'CHF', 'CZK', 'DKK', 'EUR', 'GBP', 'HUF', 'NOK', 'PLN', 'RON', 'SEK', 'USD'],
] as const;

/** Currencies to pay in: of every exponent, with a rate of their own and without. */
export const chargedCurrencies = [...fundingCurrencies, 'JPY', 'KWD', 'CLP', 'AUD'] as const;

/** What a test card does. */
export interface ModelCard {
  readonly number: string;
  readonly scheme?: 'mastercard';
  /** The error that every payment meets, or only those made from the first. */
  readonly fails?: number;
  readonly failsLater?: number;
  readonly disputes?: 'open' | 'won' | 'lost';
  readonly fraud?: true;
  readonly tds?: 'full' | 'attempt';
}

const errorCodes = Array.from({ length: 31 }, (_, index) => index + 1).filter(
  (code) => code !== 23 && code !== 24,
);

/** Cards that pay at least once. */
export const goodCards: readonly ModelCard[] = [
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

/** Cards that never pay. */
export const failingCards: readonly ModelCard[] = [
  { number: '4200000000000000', fails: 3 },
  ...errorCodes.map((fails) => ({
    number: `41000000000000${String(fails).padStart(2, '0')}`,
    fails,
  })),
];

/** A merchant, as far as its transactions need it. */
export interface ModelMerchant {
  readonly id: string;
  readonly funding: string;
  readonly descriptor: string;
}

/** A payment as it is asked for. */
export interface Charge {
  readonly card: ModelCard;
  /** The last millisecond of the card. */
  readonly expiry: number;
  /** Made from an earlier payment. */
  readonly later: boolean;
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

/** A transaction and all that ever happened to it. */
export interface ModelTransaction extends Charge {
  readonly merchant: ModelMerchant;
  readonly created: number;
  /** The processing error, of a payment that failed. */
  readonly error: number | undefined;
  readonly trail: Entry[];
  readonly lines: Line[];
  readonly disputes: Dispute[];
  fraudAlerts: number;
}

/** What can be done to a transaction. */
export type Kind = 'capture' | 'refund' | 'void';

/** A capture, refund or void as it is asked for. */
export interface Move {
  readonly amount: bigint;
  readonly currency?: string | undefined;
  readonly descriptor?: string | undefined;
}

/** One complaint of a 400; where the wording is fixed, with it. */
export interface ModelFault {
  readonly field: string;
  readonly message?: string;
}

/** A new payment: good, or failed with its error. */
export function charge(merchant: ModelMerchant, input: Charge, now: number): ModelTransaction {
  const { card, expiry, later } = input;
  const error = expiry < now ? 6 : (card.fails ?? (later ? card.failsLater : undefined));
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

/** What is wrong with an amount and a descriptor, whatever they are for. */
export function inputFaults({ amount, descriptor = '' }: Move): ModelFault[] {
  const faults: ModelFault[] = [];
  if (amount < 1n || amount > MOST) faults.push({ field: 'amount' });
  if (descriptor.length > 22) faults.push({ field: 'descriptor' });
  return faults;
}

/** Moves money if the rules allow it, or answers the complaints and changes nothing. */
export function move(
  transaction: ModelTransaction,
  kind: Kind,
  { amount, currency, descriptor }: Move,
  now: number,
): ModelFault[] {
  const faults = inputFaults(kind === 'void' ? { amount } : { amount, descriptor });
  if (faults.length > 0) return faults;
  const most = leftFor(transaction, kind);
  if (amount > most) {
    const words = `${transaction.currency} ${majorUnits(most, transaction.currency, true)}`;
    faults.push({ field: 'amount', message: `Can ${kind} at most ${words}` });
  }
  if (kind === 'capture' && currency !== undefined && currency !== transaction.currency) {
    faults.push({ field: 'currency' });
  }
  if (faults.length > 0) return faults;
  const words = descriptor || transaction.descriptor || transaction.merchant.descriptor;
  if (kind === 'capture') capture(transaction, amount, words, now);
  if (kind === 'refund') refund(transaction, amount, words, now);
  if (kind === 'void') {
    transaction.trail.push({ kind, created: now, amount, gross: 0n, flat: 0n, rate: 0n });
  }
  return [];
}

/** What may still be captured, refunded or voided. */
export function leftFor(transaction: ModelTransaction, kind: Kind): bigint {
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
  const nothing = { balance: 0n, fee: 0n };
  lines.push({ kind: 'dispute', created, amount, ...nothing, description: DISPUTE_REASON });
}

/** All refunds so far take their share of all captures so far, this one what is missing to it. */
function refund(
  transaction: ModelTransaction,
  amount: bigint,
  descriptor: string,
  created: number,
): void {
  const refunded = total(transaction, 'refund', 'amount') + amount;
  const captured = total(transaction, 'capture', 'amount');
  function missing(what: 'gross' | 'rate'): bigint {
    const share = divide(total(transaction, 'capture', what) * refunded, captured);
    const rest = share + total(transaction, 'refund', what); // what refunds took counts negative
    return rest > 0n ? rest : 0n;
  }
  const gross = -missing('gross');
  book(transaction, {
    ...{ kind: 'refund', created, amount, gross, descriptor },
    ...{ flat: 0n, rate: -missing('rate') },
  });
}

/** Gives the disputes that are due their outcome; tells whether there were any. */
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
      ...{ kind: 'dispute', created: now, amount: dispute.amount, outcome },
      gross: lost ? -dispute.gross : 0n,
      flat: lost ? exchange(1500n, 'EUR', merchant.funding) : 0n,
      rate: 0n,
    });
  }
  return due.length > 0;
}

/** An entry of the trail, and its line. */
function book({ trail, lines }: ModelTransaction, entry: Entry & { kind: Line['kind'] }): void {
  trail.push(entry);
  const { kind, created, amount, gross, flat, rate, outcome } = entry;
  lines.push({
    ...{ kind, created, amount, balance: gross - flat - rate, fee: flat + rate },
    description: entry.descriptor ?? DISPUTE_REASON,
    ...(outcome === undefined ? {} : { outcome }),
  });
}

/** What a transaction moved on the merchant's balance. */
export function worth({ lines }: ModelTransaction): bigint {
  return lines.reduce((sum, { balance }) => sum + balance, 0n);
}

/** The transaction as the service shows it, but for its ids and the words of an error. */
export function showTransaction(transaction: ModelTransaction) {
  const { merchant, card, amount, currency, later, error, trail, disputes } = transaction;
  const done = (kind: Kind) => Number(total(transaction, kind, 'amount'));
  return {
    test: true,
    merchantId: merchant.id,
    created: date(transaction.created),
    amount: Number(amount),
    refundedAmount: done('refund'),
    capturedAmount: done('capture'),
    voidedAmount: done('void'),
    pendingAmount: Number(leftFor(transaction, 'void')),
    disputedAmount: disputes.reduce((sum, each) => sum + Number(each.amount), 0),
    card: {
      bin: card.number.slice(0, 6),
      last4: card.number.slice(12),
      expiry: date(transaction.expiry),
      code: { present: !later },
      scheme: card.scheme ?? 'visa',
    },
    tds: later ? 'none' : (card.tds ?? 'none'),
    currency,
    custom: null,
    recurring: later,
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

/** The lines of a transaction, oldest first, as the service shows them but for ids. */
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

/** Minor units as major ones; in shortest form if asked for. */
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

/** Rounds half away from zero; the divisor is positive. */
function divide(dividend: bigint, divisor: bigint): bigint {
  const rest = dividend % divisor;
  const whole = dividend / divisor;
  if (rest < 0n) return -rest * 2n >= divisor ? whole - 1n : whole;
  return rest * 2n >= divisor ? whole + 1n : whole;
}

function total({ trail }: ModelTransaction, kind: Kind, what: 'amount' | 'gross' | 'rate'): bigint {
  return trail.reduce((sum, entry) => (entry.kind === kind ? sum + entry[what] : sum), 0n);
}

function date(time: number): string {
  return new Date(time).toISOString();
}
