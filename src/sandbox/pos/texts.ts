/** Every text of the payment page in one language. `{…}` marks a placeholder. */
export interface Texts {
  readonly title: string;
  /** With `{merchant}`. */
  readonly payTo: string;
  readonly amount: string;
  /** With `{example}`, an amount. */
  readonly amountHint: string;
  readonly next: string;
  readonly number: string;
  readonly expiry: string;
  readonly expiryHint: string;
  readonly code: string;
  readonly codeHint: string;
  readonly pay: string;
  readonly testMode: string;
  readonly testCards: string;
  readonly testCardsHint: string;
  readonly consent: string;
  readonly problem: string;
  readonly declined: string;
  readonly cardRejected: string;
  readonly done: string;
  /** With `{amount}` and `{merchant}`. */
  readonly doneText: string;
  readonly invalidLink: string;
  readonly askShop: string;
  readonly live: string;
  /** What a test card on the page does. */
  readonly cards: Readonly<Record<CardEffect, string>>;
  /** The errors of the form, by the code of the published processing error. */
  readonly errors: Readonly<Record<FormErrorCode, string>>;
}

/** What the test cards do that the page offers. */
export type CardEffect = 'success' | 'declined' | 'declinedLater' | 'disputed' | 'fraud';

/** The codes of the published processing errors that a form can have. */
export type FormErrorCode = 4 | 5 | 14 | 15 | 17 | 18 | 20;

/** Replaces the placeholders of a text. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name) => values[name] ?? placeholder);
}
