import { apps } from './apps.ts';
import { cards } from './cards.ts';
import { describeService } from './document.ts';
import { lines } from './lines.ts';
import { members } from './members.ts';
import { merchants } from './merchants.ts';
import { notices } from './notices.ts';
import { transactions } from './transactions.ts';

/** The payments service, without the payment page. */
export const paymentsDocument = describeService(
  'Payments',
  'Amounts are integers in minor units. Fields of a request that are not named here are ignored, and null counts as absent.',
  [apps, merchants, members, transactions, lines, cards, notices],
  {
    key: {
      type: 'http',
      scheme: 'basic',
      description: 'An empty user name, and the key of an app as password.',
    },
  },
);
