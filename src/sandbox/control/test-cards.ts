import { z } from 'zod';
import { invalidField } from '../http/http-error.ts';
import type { DescribedRoute } from '../http/operation.ts';
import { processingErrors } from '../payments/processing-errors.ts';
import { type Behaviour, type TestCard, testCards } from '../payments/test-cards.ts';
import { defineOperation } from './operation.ts';

/** Names of cards that describe a behaviour better than its own name. */
const names: Readonly<Record<string, string>> = {
  succeed: 'success',
  fraud: 'fraud-alert',
  'tds:full': '3ds-full',
  'tds:attempt': '3ds-attempted',
};

const prefixes: Readonly<Record<string, string>> = {
  fail: 'declined',
  later: 'declined-later',
  fraud: 'fraud-alert',
};

/** The number of each test card that has a name, by its name. */
const namedCards: ReadonlyMap<string, string> = new Map(
  // The first card of several with the same name comes last, and so replaces the others.
  [...testCards].reverse().map(([number, card]) => [nameOf(card), number]),
);

function nameOf({ behaviour, scheme }: TestCard): string {
  if (scheme === 'mastercard') return 'mastercard';
  const [kind = '', detail = ''] = behaviour.split(':');
  return names[behaviour] ?? `${prefixes[kind] ?? kind}-${detail}`;
}

/** A test card with its name. */
export const namedCard = z
  .object({
    name: z.string(),
    number: z.string(),
    scheme: z.enum(['visa', 'mastercard']),
    description: z.string().describe('What a payment with this card leads to.'),
  })
  .meta({ id: 'TestCard' });

const declined = (code: string) =>
  `declined with processing error ${code}, "${processingErrors.get(Number(code))?.message}"`;

/** What each kind of behaviour leads to. `detail` is what follows the colon in its name. */
const descriptions: Readonly<Record<string, (detail: string) => string>> = {
  succeed: () => 'Every payment succeeds.',
  fail: (code) => `Every payment is ${declined(code)}.`,
  later: (code) =>
    `A payment on the payment page succeeds. Every payment that is created from it is ${declined(code)}.`,
  dispute: (outcome) =>
    outcome === 'open'
      ? 'Every capture is disputed. The dispute stays open.'
      : `Every capture is disputed. The merchant ${outcome === 'won' ? 'wins' : 'loses'} two seconds later.`,
  fraud: (detail) =>
    `The first capture is reported as fraud, ${fraudDetails[detail] ?? `with reason ${detail}`}.`,
  tds: (detail) =>
    detail === 'full' ? 'Succeeds with full 3-D Secure.' : 'Succeeds; 3-D Secure was attempted.',
};

const fraudDetails: Readonly<Record<string, string>> = {
  '': 'with reason 1',
  unexplained: 'without a reason',
  unreported: 'with reason 1 and without the time of the report',
};

function describeBehaviour(behaviour: Behaviour): string {
  const [kind = '', detail = ''] = behaviour.split(':');
  return descriptions[kind]?.(detail) ?? '';
}

/** Lists the test cards by name. */
export function testCardOperations(): DescribedRoute[] {
  return [
    defineOperation({
      method: 'GET',
      path: '/test-cards',
      summary: 'List the test cards by name, with their behaviour.',
      output: z.array(namedCard),
      handle: () =>
        [...namedCards].sort().map(([name, number]) => ({
          name,
          number,
          scheme: testCards.get(number)?.scheme,
          description: describeBehaviour(testCards.get(number)?.behaviour ?? 'succeed'),
        })),
    }),
  ];
}

const YEARS = 5;

/** Returns a test card by name or number, with its expiry. Throws 400 for any other card. */
export function readCard(
  nameOrNumber: string,
  expiry: string | undefined,
  now: Date,
): { card: TestCard; expiry: Date } {
  const number = namedCards.get(nameOrNumber) ?? nameOrNumber.replace(/[\s-]/g, '');
  const card = testCards.get(number);
  if (card === undefined) {
    throw invalidField('card', 'Must be the name or the number of a test card: see /test-cards');
  }
  const [month, year] = expiry?.split('/').map(Number) ?? [];
  if (month === undefined || year === undefined) {
    return { card, expiry: endOfMonth(now.getUTCFullYear() + YEARS, now.getUTCMonth() + 1) };
  }
  if (month < 1 || month > 12) throw invalidField('expiry', 'Must be MM/YY');
  return { card, expiry: endOfMonth(2000 + year, month) };
}

/** A card is valid until the end of its month. */
function endOfMonth(year: number, month: number): Date {
  return new Date(Date.UTC(year, month) - 1);
}
