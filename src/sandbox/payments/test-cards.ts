import { processingErrors } from './processing-errors.ts';

/** A published test card. Only the name of its behaviour is stored. */
export interface TestCard {
  readonly bin: string;
  readonly last4: string;
  readonly scheme: 'visa' | 'mastercard';
  readonly behaviour: Behaviour;
}

/**
 * What payments with a test card lead to. `fail:NN` declines every payment with processing error
 * NN; `later:NN` declines only payments that the merchant's server makes from an earlier one.
 * `dispute:…` disputes every capture; the dispute stays open or gets the named outcome. `fraud`
 * files a fraud alert on the first capture: with this reason, without one, or without the time of
 * the report.
 */
export type Behaviour =
  | 'succeed'
  | `fail:${number}`
  | `later:${number}`
  | 'dispute:open'
  | 'dispute:won'
  | 'dispute:lost'
  | 'fraud'
  | `fraud:${number}`
  | 'fraud:unexplained'
  | 'fraud:unreported'
  | 'tds:full'
  | 'tds:attempt';

function card(number: string, behaviour: Behaviour, scheme: TestCard['scheme'] = 'visa') {
  const entry: TestCard = { bin: number.slice(0, 6), last4: number.slice(-4), scheme, behaviour };
  return [number, entry] as const;
}

/** The card numbers that the sandbox accepts. They do not satisfy the check-digit rule. */
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
  ...[...processingErrors.keys()].map((code) =>
    card(`41000000000002${String(code).padStart(2, '0')}`, `later:${code}`),
  ),
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((reason) =>
    card(`410000000000030${reason}`, `fraud:${reason}`),
  ),
  card('4100000000000309', 'fraud:unexplained'),
  card('4100000000000310', 'fraud:unreported'),
  card('4100000000000130', 'tds:full'),
  card('4100000000000131', 'tds:attempt'),
]);

/** Returns the 3-D Secure of a payment on the payment page. */
export function tdsOf({ behaviour }: TestCard): string {
  return behaviour.startsWith('tds:') ? behaviour.slice(4) : 'none';
}

/** Returns the processing error that declines a payment, if any. An expired card comes first. */
export function declineCode(
  behaviour: string,
  expiry: Date,
  now: Date,
  merchantInitiated: boolean,
): number | undefined {
  if (expiry < now) return 6;
  const [kind, code] = behaviour.split(':');
  if (kind === 'fail' || (kind === 'later' && merchantInitiated)) return Number(code);
  return undefined;
}
