import { apps } from './apps.ts';
import { cards } from './cards.ts';
import { disputesAndFraudAlerts } from './disputes-and-fraud-alerts.ts';
import { describeService } from './document.ts';
import { lines } from './lines.ts';
import { members } from './members.ts';
import { merchants } from './merchants.ts';
import { transactions } from './transactions.ts';

/** The OpenAPI document of the payments service, without the payment page. */
export const paymentsDocument = describeService(
  'Payments',
  'Send the key of an app as the password of HTTP Basic authentication, with an empty user name. `POST /apps` creates an app and requires no key. Amounts are integers in minor units. In a request, unknown fields are ignored, and null and empty text count as missing.',
  [apps, merchants, members, transactions, lines, cards, disputesAndFraudAlerts],
  {
    key: {
      type: 'http',
      scheme: 'basic',
      description: 'The key of an app as the password, with an empty user name.',
    },
  },
);
