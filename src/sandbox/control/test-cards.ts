import { z } from 'zod';
import { type TestCard, testCards } from '../payments/test-cards.ts';
import type { ControlOperation } from './operation.ts';
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
  .object({ name: z.string(), number: z.string(), scheme: z.enum(['visa', 'mastercard']) })
  .meta({ id: 'TestCard' });

/** Lists the test cards by name. */
export function testCardOperations(): ControlOperation[] {
  return [
    defineOperation({
      method: 'GET',
      path: '/test-cards',
      summary: 'List the test cards by name.',
      output: z.array(output),
      handle: () =>
        [...namedCards].sort().map(([name, number]) => ({
          name,
          number,
          scheme: testCards.get(number)?.scheme,
        })),
    }),
  ];
}
