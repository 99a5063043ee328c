/** One step after the payment, with its share of the amount in percent. */
export type Step = readonly [action: 'capture' | 'refund' | 'void', percent: number];

const step = (action: Step[0]) => (percent: number) => [action, percent] as const satisfies Step;
export const captured = step('capture');
export const refunded = step('refund');
export const voided = step('void');

/** A payment of the demo data and the movements that follow it. */
export interface Scenario {
  /** The number of the test card. */
  readonly card: string;
  readonly steps: readonly Step[];
  /** True for a payment by the merchant's server, false for one on the payment page. */
  readonly merchantInitiated?: boolean;
  /** The currency of the payment. By default, it is the merchant's. */
  readonly currency?: string;
}

const VISA = '4100000000000000';
const MASTERCARD = '5100000000000000';

/** Covers every combination of the counters, and other variants that a list should contain. */
export const scenarios: readonly Scenario[] = [
  { card: VISA, steps: [captured(100)] },
  { card: VISA, steps: [] },
  { card: MASTERCARD, steps: [captured(40)] },
  { card: VISA, steps: [captured(60), captured(40)] },
  { card: MASTERCARD, steps: [voided(100)] },
  { card: VISA, steps: [voided(30)] },
  { card: VISA, steps: [captured(70), voided(30)] },
  { card: MASTERCARD, steps: [captured(100), refunded(25)] },
  { card: VISA, steps: [captured(100), refunded(40), refunded(60)] },
  { card: VISA, steps: [captured(50), refunded(20), voided(50)] },
  { card: MASTERCARD, steps: [captured(50), refunded(50)] },
  { card: VISA, steps: [captured(40), refunded(10), voided(20)] },
  { card: VISA, steps: [captured(100)], merchantInitiated: true },
  { card: '4100000000000007', steps: [] },
  { card: '4100000000000130', steps: [captured(100)] },
  { card: '4100000000000100', steps: [captured(100)] },
  { card: VISA, steps: [captured(100)], currency: 'JPY' },
  { card: '4100000000000101', steps: [captured(80)] },
  { card: MASTERCARD, steps: [captured(100), refunded(100)], merchantInitiated: true },
  { card: '4100000000000102', steps: [captured(60), refunded(10)] },
  { card: VISA, steps: [captured(50)], currency: 'KWD' },
  { card: '4100000000000110', steps: [captured(100)] },
  { card: '4100000000000120', steps: [captured(100)] },
  { card: '4100000000000131', steps: [captured(30), voided(10)] },
];
