import { processingErrors } from './processing-errors.ts';

/** How a published test card behaves. Only the name of it is ever kept. */
export interface TestCard {
  readonly bin: string;
  readonly last4: string;
  readonly scheme: 'visa' | 'mastercard';
  readonly behaviour: Behaviour;
}

/**
 * `fail:NN` fails with that processing error at once, `later:NN` on every payment made
 * from the first; the disputes stay open, or end as named.
 */
export type Behaviour =
  | 'succeed'
  | `fail:${number}`
  | `later:${number}`
  | 'dispute:open'
  | 'dispute:won'
  | 'dispute:lost'
  | 'fraud'
  | 'tds:full'
  | 'tds:attempt';

function card(number: string, behaviour: Behaviour, scheme: TestCard['scheme'] = 'visa') {
  const entry: TestCard = { bin: number.slice(0, 6), last4: number.slice(-4), scheme, behaviour };
  return [number, entry] as const;
}

/** Every number that is taken; they follow no check-digit rule, and there are no others. */
export const testCards: ReadonlyMap<string, TestCard> = new Map([
  card('4100000000000000', 'succeed'),
  card('1000000000000000', 'succeed'),
  card('5100000000000000', 'succeed', 'mastercard'),
  card('4200000000000000', 'fail:3'),
  ...[...processingErrors.keys()].map((code) =>
    card(`41000000000000${String(code).padStart(2, '0')}`, `fail:${code}`),
  ),
  card('4100000000000100', 'dispute:open'),
  card('4100000000000101', 'dispute:won'),
  card('4100000000000102', 'dispute:lost'),
  card('4100000000000110', 'fraud'),
  card('4100000000000120', 'later:7'),
  card('4100000000000130', 'tds:full'),
  card('4100000000000131', 'tds:attempt'),
]);

/** Which processing error a payment meets, if any. An expired card fails before all else. */
export function declineCode(
  behaviour: string,
  expiry: Date,
  now: Date,
  later: boolean,
): number | undefined {
  if (expiry < now) return 6;
  const [kind, code] = behaviour.split(':');
  if (kind === 'fail' || (kind === 'later' && later)) return Number(code);
  return undefined;
}
