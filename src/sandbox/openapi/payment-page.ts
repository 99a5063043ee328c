import { activeCurrencies } from '../payments/chargeable-currencies.ts';
import { type DocumentPart, describeService } from './document.ts';
import { flagWords, inQuery, operation } from './operation.ts';
import { input, listOf, type Schema, text, uuid } from './schema.ts';

const word: Schema = { enum: flagWords };
const shown = text(0, 1000);

/** The parameters of a payment link. */
const link: readonly Schema[] = [
  inQuery('key', 'Public key of the merchant.', uuid, true),
  inQuery('test', 'A "yes" for a test merchant, left out for any other.', word),
  inQuery('currency', 'By default, the funding currency of the merchant.', {
    enum: activeCurrencies,
  }),
  inQuery('value', 'Amount in major units. Without it, the page asks for the amount.', {
    type: 'string',
    pattern: '^\\d+(\\.\\d{1,4})?$',
  }),
  inQuery('reference', 'Kept as `custom.reference` of the transaction.', shown),
  inQuery('text', 'Shown on the page.', shown),
  inQuery('redirect', 'Where the customer goes after the payment: an http or https URL.', {
    type: 'string',
    format: 'uri',
    maxLength: 2000,
  }),
  inQuery('locale', 'Language of the page, optionally with a country: `de` or `de_AT`.', {
    type: 'string',
  }),
  inQuery('recurring', 'Whether the page asks for consent to later payments.', word),
];

const amountInQuery = inQuery('amount', 'What the customer entered on the first screen.', {
  type: 'string',
});

const form = {
  ...input(
    {
      card: input({
        number: { type: 'string', description: 'A test card. Spaces and dashes are removed.' },
        expiry: { type: 'string', description: '`08/30`, `8/30`, `08/2030` or `0830`.' },
        code: text(3, 3, '^\\d{3}$'),
      }),
    },
    {
      amount: {
        type: 'string',
        description: 'Major units, with a dot or a comma. Required if the link has no `value`.',
      },
    },
  ),
  example: {
    card: { number: '4100 0000 0000 0000', expiry: '08/66', code: '123' },
    amount: '9.50',
  },
};

const html = { 'text/html': { schema: { type: 'string' } } };
const rejected = 'its `main` element has `data-error`: a code of what is wrong';

const paymentPage: DocumentPart = {
  schemas: {},
  paths: {
    '/': {
      get: operation({
        summary: 'Open a payment link.',
        parameters: [...link, amountInQuery],
        responses: {
          200: {
            description: 'A page with a form, or that the sandbox takes no real cards.',
            content: html,
          },
          400: { description: `The link is invalid: a page of which ${rejected}.`, content: html },
        },
        errors: [],
      }),
      post: operation({
        summary: 'Pay a link with a card. Sending it twice makes two payments.',
        parameters: link,
        body: form,
        responses: {
          200: {
            description:
              'Paid, and the link has no `redirect`: the `main` element of the page has `data-transaction-id`.',
            content: html,
          },
          303: {
            description: 'Paid: leads to `redirect` with `transactionId` in the query.',
            headers: { location: { schema: { type: 'string', format: 'uri' } } },
          },
          400: {
            description: `Not paid: a page of which ${rejected}. For a declined payment, also \`data-error-code\` and \`data-failed-transaction-id\`. JSON if the body cannot be parsed.`,
            content: { ...html, 'application/json': { schema: listOf('FieldError') } },
          },
        },
        errors: [],
      }),
    },
  },
};

/** The OpenAPI document of the payment page. */
export const paymentPageDocument = describeService(
  'Payment page',
  'Customers make their first payment here, with a test card. The page has no authentication, no scripts and no cookies. The responses are HTML; attributes of the `main` element are for programs.',
  [paymentPage],
);
