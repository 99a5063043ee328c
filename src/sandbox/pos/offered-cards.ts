import type { CardEffect } from './language.ts';

/** The test cards that the page offers: one for each effect that a shop has to handle. */
export const offeredCards: readonly { readonly number: string; readonly effect: CardEffect }[] = [
  { number: '4100 0000 0000 0000', effect: 'success' },
  { number: '5100 0000 0000 0000', effect: 'success' },
  { number: '4100 0000 0000 0007', effect: 'declined' },
  { number: '4100 0000 0000 0120', effect: 'declinedLater' },
  { number: '4100 0000 0000 0100', effect: 'disputed' },
  { number: '4100 0000 0000 0110', effect: 'fraud' },
];
