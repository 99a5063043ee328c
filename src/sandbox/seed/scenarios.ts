/** One step after the payment, with its share of the amount in percent. */
export type Step = readonly [action: 'capture' | 'refund' | 'void', percent: number];

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
  { card: VISA, steps: [['capture', 100]] },
  { card: VISA, steps: [] },
  { card: MASTERCARD, steps: [['capture', 40]] },
  {
    card: VISA,
    steps: [
      ['capture', 60],
      ['capture', 40],
    ],
  },
  { card: MASTERCARD, steps: [['void', 100]] },
  { card: VISA, steps: [['void', 30]] },
  {
    card: VISA,
    steps: [
      ['capture', 70],
      ['void', 30],
    ],
  },
  {
    card: MASTERCARD,
    steps: [
      ['capture', 100],
      ['refund', 25],
    ],
  },
  {
    card: VISA,
    steps: [
      ['capture', 100],
      ['refund', 40],
      ['refund', 60],
    ],
  },
  {
    card: VISA,
    steps: [
      ['capture', 50],
      ['refund', 20],
      ['void', 50],
    ],
  },
  {
    card: MASTERCARD,
    steps: [
      ['capture', 50],
      ['refund', 50],
    ],
  },
  {
    card: VISA,
    steps: [
      ['capture', 40],
      ['refund', 10],
      ['void', 20],
    ],
  },
  { card: VISA, steps: [['capture', 100]], merchantInitiated: true },
  { card: '4100000000000007', steps: [] },
  { card: '4100000000000130', steps: [['capture', 100]] },
  { card: '4100000000000100', steps: [['capture', 100]] },
  { card: VISA, steps: [['capture', 100]], currency: 'JPY' },
  { card: '4100000000000101', steps: [['capture', 80]] },
  {
    card: MASTERCARD,
    steps: [
      ['capture', 100],
      ['refund', 100],
    ],
    merchantInitiated: true,
  },
  {
    card: '4100000000000102',
    steps: [
      ['capture', 60],
      ['refund', 10],
    ],
  },
  { card: VISA, steps: [['capture', 50]], currency: 'KWD' },
  { card: '4100000000000110', steps: [['capture', 100]] },
  { card: '4100000000000120', steps: [['capture', 100]] },
  {
    card: '4100000000000131',
    steps: [
      ['capture', 30],
      ['void', 10],
    ],
  },
];
