/** An unsigned number as people write it: its digits before and after the decimal point. */
export interface Decimal {
  readonly integer: string;
  readonly fraction: string;
}

/** What text in a search box can mean. A transaction matches if any of these does. */
export interface SearchText {
  /** Part of a reference, in lowercase. */
  readonly part: string;
  /** The last four digits of a card. */
  readonly last4: string | undefined;
  /** Amounts; several if the separators are ambiguous. */
  readonly amounts: readonly Decimal[];
  /** The currency next to the amount. */
  readonly currency: string | undefined;
}

const RAW_ID = /^[0-9a-f]{24}$/i;
const NODE_ID = /^txn_([A-Za-z0-9_-]{1,128})$/i;
const LAST4 = /^\d{4}$/;
const AMOUNT = /^(?:([A-Za-z]{3})\s*)?(\d(?:[\d.,'\s]*\d)?)(?:\s*([A-Za-z]{3}))?$/;
/** Longer text is not an amount. */
const MAX_AMOUNT = 40;

/** The id if the text is a transaction's id: 24 hexadecimal digits, or a node id. */
export function readSearchedId(text: string): string | undefined {
  const trimmed = text.trim();
  const id = NODE_ID.exec(trimmed)?.[1] ?? trimmed;
  if (RAW_ID.test(id)) return id.toLowerCase();
  return id === trimmed ? undefined : id;
}

/** What hides the other digits of a card, or the symbol of a currency: `•••• 4242`, `€12`. */
const DECORATION = /^[•*·\s]+(?=\d{4}$)|^\p{Sc}\s*(?=\d)|(?<=\d)\s*\p{Sc}$/gu;

/** Interprets text from a search box. Undefined if it is blank. */
export function readSearchText(text: string): SearchText | undefined {
  const trimmed = text.trim().replace(DECORATION, '');
  if (trimmed === '') return undefined;
  const [, before, number, after] = trimmed.length > MAX_AMOUNT ? [] : (AMOUNT.exec(trimmed) ?? []);
  const hasTwoCurrencies = before !== undefined && after !== undefined;
  return {
    part: trimmed.toLowerCase(),
    last4: LAST4.test(trimmed) ? trimmed : undefined,
    amounts: number === undefined || hasTwoCurrencies ? [] : readDecimals(number),
    currency: (before ?? after)?.toUpperCase(),
  };
}

const PLAIN = /^\d+$/;
/** Groups of three digits with the same separator. */
const GROUPED = /^\d{1,3}([.,'\s])\d{3}(?:\1\d{3})*$/;
const FRACTION = /^(.*?)[.,](\d+)$/s;

/** The numbers that digits with separators can mean: `1,234` is 1234 or 1.234. */
function readDecimals(text: string): Decimal[] {
  const decimals: Decimal[] = [];
  const whole = readWhole(text);
  if (whole !== undefined) decimals.push({ integer: whole, fraction: '' });
  const [, head = '', fraction = ''] = FRACTION.exec(text) ?? [];
  const integer = readWhole(head);
  const separator = text.charAt(head.length);
  if (integer !== undefined && fraction !== '' && !head.includes(separator)) {
    decimals.push({ integer, fraction });
  }
  return decimals;
}

function readWhole(text: string): string | undefined {
  return PLAIN.test(text) || GROUPED.test(text) ? text.replace(/\D/g, '') : undefined;
}

/** A number in minor units; undefined if it has more decimals than the currency. */
export function toMinorUnits({ integer, fraction }: Decimal, exponent: number): bigint | undefined {
  if (fraction.length > exponent) return undefined;
  return BigInt(integer + fraction.padEnd(exponent, '0'));
}
