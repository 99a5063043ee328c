/** One step after the payment: a share of its amount, in hundredths. */
export type Step = readonly [action: 'capture' | 'refund' | 'void', hundredths: number];

/** What happens to a payment of the demo. */
export interface Story {
  /** The test card it is paid with. */
  readonly card: string;
  readonly steps: readonly Step[];
  /** Charged by the server from an earlier payment, rather than on the page. */
  readonly later?: true;
  /** Paid in this currency in place of the merchant's own. */
  readonly currency?: string;
}

const VISA = '4100000000000000';
const MASTERCARD = '5100000000000000';

/** Every state that a transaction's counters can be in, and what else a list should show. */
export const stories: readonly Story[] = [
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
  { card: VISA, steps: [['capture', 100]], later: true },
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
    later: true,
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
