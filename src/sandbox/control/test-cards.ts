import { z } from 'zod';
import type { DescribedRoute } from '../http/operation.ts';
import { processingErrors } from '../payments/processing-errors.ts';
import { type Behaviour, type TestCard, testCards } from '../payments/test-cards.ts';
import { defineOperation } from './operation.ts';

/** The names of behaviours that a name of a card describes better. */
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
export const namedCards: ReadonlyMap<string, string> = new Map(
  // The first card of several with the same name comes last, and so replaces the others.
  [...testCards].reverse().map(([number, card]) => [nameOf(card), number]),
);

function nameOf({ behaviour, scheme }: TestCard): string {
  if (scheme === 'mastercard') return 'mastercard';
  const [kind = '', detail = ''] = behaviour.split(':');
  return names[behaviour] ?? `${prefixes[kind] ?? kind}-${detail}`;
}

const output = z
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
      summary: 'List the test cards by name, with what each leads to.',
      output: z.array(output),
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
