import type { Environment } from './environment.ts';
import type { ServiceDescription } from './http/document.ts';
import type { DescribedRoute } from './http/operation.ts';
import { appRoutes, merchantAppRoutes } from './payments/apps.ts';
import { cardRoutes } from './payments/cards.ts';
import { disputeRoutes } from './payments/disputes.ts';
import { fraudAlertRoutes } from './payments/fraud-alerts.ts';
import { lineRoutes } from './payments/lines.ts';
import { type Invite, memberRoutes } from './payments/members.ts';
import { merchantRoutes } from './payments/merchants.ts';
import { movementRoutes } from './payments/movements.ts';
import { transactionRoutes } from './payments/transactions.ts';
import { paymentPageRoutes, paymentPageService } from './pos/payment-page.ts';
import { userRoutes, usersService } from './users/users.ts';

/** The services of the specifications. `pos` is the payment page. */
export type ServiceName = 'users' | 'payments' | 'pos';

/** The services in the order in which they start. */
export const serviceNames = ['users', 'payments', 'pos'] as const satisfies ServiceName[];

/** What the OpenAPI document of each service says about the service itself. */
export const services: Readonly<Record<ServiceName, ServiceDescription>> = {
  users: usersService,
  payments: {
    title: 'Payments',
    description:
      'Send the key of an app as the password of HTTP Basic authentication, with an empty user name. `POST /apps` creates an app and requires no key. Amounts are integers in minor units. In a request, unknown fields are ignored, and null and empty text count as missing.',
    securitySchemes: {
      key: {
        type: 'http',
        scheme: 'basic',
        description: 'The key of an app as the password, with an empty user name.',
      },
    },
  },
  pos: paymentPageService,
};

/** Returns the operations of each service. */
export function routesOf(
  environment: Environment,
  invite: Invite,
): Record<ServiceName, DescribedRoute[]> {
  return {
    users: userRoutes(environment),
    payments: [
      ...appRoutes(environment),
      ...merchantRoutes(environment),
      ...transactionRoutes(environment),
      ...movementRoutes(environment),
      ...lineRoutes(environment),
      ...memberRoutes(environment, invite),
      ...merchantAppRoutes(environment),
      ...cardRoutes(environment),
      ...disputeRoutes(environment),
      ...fraudAlertRoutes(environment),
    ],
    pos: paymentPageRoutes(environment),
  };
}
