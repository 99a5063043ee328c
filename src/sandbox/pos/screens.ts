import type { HttpResponse } from '../http/response.ts';
import { type FormErrors, type FormField, formFields } from './card-form.ts';
import {
  type CardEffect,
  fill,
  type Html,
  html,
  htmlPage,
  type PageData,
  showAmount,
  type Texts,
} from './html.ts';
import { type InvalidLink, linkProblems, type PaymentLink } from './payment-link.ts';

/** The test cards that the page offers: one for each effect that a shop has to handle. */
const offeredCards: readonly { readonly number: string; readonly effect: CardEffect }[] = [
  { number: '4100 0000 0000 0000', effect: 'success' },
  { number: '5100 0000 0000 0000', effect: 'success' },
  { number: '4100 0000 0000 0007', effect: 'declined' },
  { number: '4100 0000 0000 0120', effect: 'declinedLater' },
  { number: '4100 0000 0000 0100', effect: 'disputed' },
  { number: '4100 0000 0000 0110', effect: 'fraud' },
];

/** The error above the form. Screen readers announce it when the page opens. */
interface Problem {
  readonly title: string;
  readonly details?: readonly { readonly field: FormField; readonly text: string }[];
  readonly text?: string;
}

/** The screen of an invalid link. It shows the reason. */
export function invalidLinkScreen({ code, language }: InvalidLink, status: number): HttpResponse {
  const { texts } = language;
  const content =
    code === 'LIVE_MERCHANT'
      ? html`<h1>${texts.title}</h1>
<p>${texts.live}</p>`
      : html`<h1>${texts.invalidLink}</h1>
<p>${texts.askShop}</p>
<p lang="en">${linkProblems[code]} <code>${code}</code></p>`;
  return htmlPage(status, language, { 'data-error': code }, content);
}

/** The first screen of a point of sale, with a form that adds `amount` to the link. */
export function amountScreen(
  link: PaymentLink,
  query: URLSearchParams,
  errors: FormErrors = {},
  sent = '',
): HttpResponse {
  const { texts } = link.language;
  const kept = [...query].filter(([name]) => name !== 'amount');
  const problem = problemOf(texts, errors);
  return htmlPage(
    problem === undefined ? 200 : 400,
    link.language,
    problem === undefined ? {} : { 'data-error': 'FORM_INVALID' },
    html`${heading(link)}
${problem && problemBox(problem)}
<form method="get" novalidate>
${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
${amountField(link, errors, sent)}
<button>${texts.next}</button>
</form>`,
  );
}

/** The screen with the card form, empty or with the errors of the form that was sent. */
export function cardScreen(
  link: PaymentLink,
  amount: number | undefined,
  failure: { status: 400; data: PageData; errors?: FormErrors; problem?: Problem } | undefined,
  sentAmount = '',
): HttpResponse {
  const { texts, locale } = link.language;
  const errors = failure?.errors ?? {};
  const problem = failure?.problem ?? problemOf(texts, errors);
  const failedId = failure?.data['data-failed-transaction-id'];
  const field = (
    name: 'number' | 'expiry' | 'code',
    label: string,
    hint: string | undefined,
    autocomplete: string,
  ) => inputField(texts, errors, { name: `card[${name}]`, field: name, label, hint, autocomplete });
  return htmlPage(
    failure?.status ?? 200,
    link.language,
    failure?.data ?? {},
    html`${heading(link)}
${amount !== undefined && html`<p class="amount">${showAmount(amount, link.currency, locale)}</p>`}
${problem && problemBox(problem)}
${failedId !== undefined && transactionLine(String(failedId))}
${testCards(texts, failure?.data['data-error'] === 'CARD_REFUSED')}
<form method="post" novalidate>
${amount === undefined ? amountField(link, errors, sentAmount) : hiddenAmount(link, sentAmount)}
${field('number', texts.number, undefined, 'cc-number')}
${field('expiry', texts.expiry, texts.expiryHint, 'cc-exp')}
${field('code', texts.code, texts.codeHint, 'cc-csc')}
${link.recurring && html`<p class="consent">${texts.consent}</p>`}
<button>${texts.pay}</button>
</form>`,
    link.redirect,
  );
}

/**
 * The screen after a successful payment, for a link without a redirect.
 *
 * @param amount minor units of the link's currency
 */
export function resultScreen(
  link: PaymentLink,
  amount: number,
  transactionId: string,
): HttpResponse {
  const { texts, locale } = link.language;
  const values = { amount: showAmount(amount, link.currency, locale), merchant: nameOf(link) };
  return htmlPage(
    200,
    link.language,
    { 'data-transaction-id': transactionId },
    html`<h1>${texts.done}</h1>
<p>${fill(texts.doneText, values)}</p>
${transactionLine(transactionId)}`,
  );
}

/** For the developer, who needs the id for what follows. */
function transactionLine(id: string): Html {
  return html`<p lang="en">Transaction: <code>${id}</code>, in GraphQL <code>txn_${id}</code></p>`;
}

function nameOf({ merchant }: PaymentLink): string {
  return merchant.name ?? merchant.website;
}

function heading(link: PaymentLink): Html {
  const { texts } = link.language;
  const { text } = link;
  return html`<h1>${fill(texts.payTo, { merchant: nameOf(link) })}</h1>
<p class="test">${texts.testMode}</p>
${text !== undefined && html`<p>${text}</p>`}`;
}

/** The test cards, folded at first. The page shows a form to test merchants only. */
function testCards({ testCards, testCardsHint, cards }: Texts, isOpen: boolean): Html {
  const items = offeredCards.map(
    ({ number, effect }) => html`<li><code>${number}</code> ${cards[effect]}</li>`,
  );
  return html`<details${isOpen && html` open`}>
<summary>${testCards}</summary>
<p>${testCardsHint}</p>
<ul>
${items}
</ul>
</details>`;
}

function hiddenAmount(link: PaymentLink, sentAmount: string): Html | false {
  return (
    link.amount === undefined && html`<input type="hidden" name="amount" value="${sentAmount}">`
  );
}

function amountField({ currency, language }: PaymentLink, errors: FormErrors, sent: string): Html {
  const { texts, locale } = language;
  return inputField(texts, errors, {
    name: 'amount',
    field: 'amount',
    label: `${texts.amount} (${currency})`,
    hint: fill(texts.amountHint, { example: showAmount(1250, currency, locale) }),
    autocomplete: 'off',
    value: sent,
  });
}

interface Input {
  readonly name: string;
  readonly field: FormField;
  readonly label: string;
  readonly hint: string | undefined;
  readonly autocomplete: string;
  readonly value?: string;
}

/** An input with its label. Screen readers also read its hint and its error. */
function inputField(texts: Texts, errors: FormErrors, input: Input): Html {
  const { field, name, label, hint, autocomplete, value } = input;
  const error = errors[field];
  const described = [hint && `${field}-hint`, error && `${field}-error`].filter(Boolean).join(' ');
  return html`<label for="${field}">${label}</label>
${hint !== undefined && html`<p class="hint" id="${field}-hint">${hint}</p>`}
<input id="${field}" name="${name}" autocomplete="${autocomplete}" inputmode="${field === 'amount' ? 'decimal' : 'numeric'}" required${
    described !== '' && html` aria-describedby="${described}"`
  }${error !== undefined && html` aria-invalid="true"`}${value && html` value="${value}"`}>
${error !== undefined && html`<p class="error" id="${field}-error" data-error-code="${error}">${texts.errors[error]}</p>`}`;
}

function problemOf(texts: Texts, errors: FormErrors): Problem | undefined {
  const details = formFields.flatMap((field) => {
    const code = errors[field];
    return code === undefined ? [] : [{ field, text: texts.errors[code] }];
  });
  return details.length === 0 ? undefined : { title: texts.problem, details };
}

function problemBox({ title, details = [], text }: Problem): Html {
  const items = details.map(
    (detail) => html`<li><a href="#${detail.field}">${detail.text}</a></li>`,
  );
  return html`<div role="alert">
<p><strong>${title}</strong></p>
${text !== undefined && html`<p lang="en">${text}</p>`}
${items.length > 0 && html`<ul>${items}</ul>`}
</div>`;
}
