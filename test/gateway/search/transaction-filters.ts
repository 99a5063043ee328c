import fc from 'fast-check';
import { exponents, HOUR, type Payment, START, stateOfPayment, totals } from './payment-model.ts';

/** A filter as a client writes it. */
export interface Filter {
  text?: string;
  createdAt?: { from?: string | undefined; to?: string | undefined };
  amount?: { currency: string; min?: number | undefined; max?: number | undefined };
  currency?: string[];
  state?: string[];
  availableAction?: string[];
  disputed?: boolean;
  successful?: boolean;
  recurring?: boolean;
  card?: { last4?: string | undefined; bin?: string | undefined; scheme?: string[] | undefined };
  statementDescriptor?: string;
  custom?: { path: string[]; equals: unknown }[];
}

const instant = fc
  .integer({ min: -5, max: 200 })
  .map((hours) => new Date(START + hours * HOUR).toISOString());
const optional = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });
const someOf = (...values: string[]) => fc.subarray(values);
const amounts = fc.constantFrom(0, 50, 1000, 1234, 2_000_000);

const conditions: { [Name in keyof Filter]-?: fc.Arbitrary<Filter[Name]> } = {
  text: fc.constantFrom(
    ...[
      '1234',
      '4242',
      'ord',
      'KÄSE',
      '10.00',
      '12.34',
      '12,34',
      '1.234',
      '12,345.67',
      "12'345,67 EUR",
    ],
    ...[
      'EUR 10',
      '1000 JPY',
      '10,00 €',
      'visit',
      '6a0000000000000000000003',
      'txn_6a0000000000000000000001',
    ],
    ...[
      '6a00000000000000000000ff',
      '-10',
      '10.',
      ' 50 ',
      '1.234.567',
      '1 234 567',
      '',
      '•••• 4242',
      '€12.34',
    ],
  ),
  createdAt: fc.record({ from: optional(instant), to: optional(instant) }),
  amount: fc.record({
    currency: fc.constantFrom('EUR', 'JPY'),
    min: optional(amounts),
    max: optional(amounts),
  }),
  currency: someOf('EUR', 'JPY', 'KWD'),
  state: someOf(
    ...['DECLINED', 'AUTHORIZED', 'PARTIALLY_CAPTURED', 'CAPTURED', 'PARTIALLY_REFUNDED'],
    ...['REFUNDED', 'VOIDED', 'EXPIRED'],
  ),
  availableAction: someOf('CAPTURE', 'REFUND', 'VOID'),
  disputed: fc.boolean(),
  successful: fc.boolean(),
  recurring: fc.boolean(),
  card: fc.record({
    last4: optional(fc.constantFrom('1234', '9999')),
    bin: optional(fc.constantFrom('410000', '41')),
    scheme: optional(someOf('VISA', 'MASTERCARD', 'OTHER')),
  }),
  statementDescriptor: fc.constantFrom('v', 'KÄ', 'ord-1', ''),
  custom: fc.array(
    fc.constantFrom<{ path: string[]; equals: unknown }>(
      { path: ['order'], equals: 'Order' },
      { path: ['cart', 'lines'], equals: [] },
      { path: ['cart', 'lines', '0', 'sku'], equals: 'ORD-17' },
      { path: ['cart', 'lines', 'length'], equals: 1 },
      { path: ['n'], equals: 1 },
      { path: ['n'], equals: true },
      { path: [], equals: { order: 'käse' } },
      { path: ['constructor', 'name'], equals: 'Object' },
      { path: ['__proto__'], equals: {} },
    ),
    { maxLength: 2 },
  ),
};

/** A filter with up to three conditions. */
export const filters: fc.Arbitrary<Filter> = fc
  .subarray(Object.keys(conditions) as (keyof Filter)[], { minLength: 1, maxLength: 3 })
  .chain((names) =>
    fc
      .record(Object.fromEntries(names.map((name) => [name, conditions[name]])))
      .map((one): Filter => one),
  );

/** Whether a filter demands anything. */
export function demands({ createdAt, card, text, ...others }: Filter): boolean {
  const inner = [
    ...Object.values(createdAt ?? {}),
    ...Object.values(card ?? {}),
    text?.trim() || undefined,
  ];
  return [...inner, ...Object.values(others)].some((value) => value !== undefined);
}

/** Whether a payment meets a filter. */
export function meets(payment: Payment, filter: Filter): boolean {
  const { captured, refunded, pending } = totals(payment);
  const actions = [
    ...(pending > 0 ? ['CAPTURE', 'VOID'] : []),
    ...(captured > refunded ? ['REFUND'] : []),
  ];
  const scheme = { visa: 'VISA', mastercard: 'MASTERCARD' }[payment.scheme] ?? 'OTHER';
  const { createdAt, amount, card } = filter;
  const contains = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());
  const checks: [given: unknown, holds: () => unknown][] = [
    [createdAt?.from, () => payment.created >= Date.parse(createdAt?.from ?? '')],
    [createdAt?.to, () => payment.created < Date.parse(createdAt?.to ?? '')],
    [amount, () => payment.currency === amount?.currency],
    [amount?.min, () => payment.amount >= Number(amount?.min)],
    [amount?.max, () => payment.amount <= Number(amount?.max)],
    [filter.currency, () => filter.currency?.includes(payment.currency)],
    [filter.state, () => filter.state?.includes(stateOfPayment(payment))],
    [filter.availableAction, () => filter.availableAction?.some((one) => actions.includes(one))],
    [filter.disputed, () => filter.disputed === (payment.dispute !== 'none')],
    [filter.successful, () => filter.successful !== payment.declined],
    [filter.recurring, () => filter.recurring === payment.recurring],
    [card?.last4, () => card?.last4 === payment.last4],
    [card?.bin, () => card?.bin === payment.bin],
    [card?.scheme, () => card?.scheme?.includes(scheme)],
    [
      filter.statementDescriptor,
      () => contains(payment.descriptor, filter.statementDescriptor ?? ''),
    ],
    [
      filter.custom,
      () =>
        filter.custom?.every(({ path, equals }) => sameJson(pick(payment.custom, path), equals)),
    ],
    [
      filter.text,
      () => textFits(payment, (filter.text ?? '').trim().replace(/^(•••• |€)| €$/g, '')),
    ],
  ];
  return checks.every(([given, holds]) => given === undefined || holds());
}

function pick(value: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const entry = Object.entries(value).find(([name]) => name === key);
  return entry && pick(entry[1], rest);
}

const sameJson = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Whether a text names a payment, by writing down everything that means it. */
function textFits(payment: Payment, text: string): boolean {
  if (text === '') return true;
  if (/^[0-9a-f]{24}$/.test(text)) return payment.id === text;
  if (text.startsWith('txn_')) return payment.id === text.slice(4);
  const references = [payment.descriptor, ...textsIn(payment.custom)];
  return (
    payment.last4 === text ||
    references.some((reference) => reference.toLowerCase().includes(text.toLowerCase())) ||
    writtenForms(payment).has(text.toUpperCase())
  );
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The ways to write an amount: with and without groups, with either decimal separator. */
function writtenForms({ amount, currency }: Payment): Set<string> {
  const exponent = exponents[currency] ?? 0;
  const digits = String(amount).padStart(exponent + 1, '0');
  const integer = digits.slice(0, digits.length - exponent);
  const fraction = digits.slice(digits.length - exponent);
  const fractions = [fraction];
  while (fractions.at(-1)?.endsWith('0')) fractions.push((fractions.at(-1) ?? '').slice(0, -1));
  const forms = new Set<string>();
  for (const group of ['', ',', '.', "'", ' ']) {
    const whole = integer.replace(/\B(?=(\d{3})+$)/g, group);
    for (const point of ['.', ','].filter((sign) => sign !== group)) {
      for (const part of fractions) {
        const number = part === '' ? whole : whole + point + part;
        for (const form of [number, `${number} ${currency}`, `${currency} ${number}`])
          forms.add(form);
      }
    }
  }
  return forms;
}
