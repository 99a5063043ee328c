import type { Environment } from './environment.ts';
import type { Route } from './http/router.ts';
import { appRoutes } from './payments/apps.ts';
import { cardRoutes } from './payments/cards.ts';
import { disputeRoutes } from './payments/disputes.ts';
import { fraudAlertRoutes } from './payments/fraud-alerts.ts';
import type { Invite } from './payments/invitations.ts';
import { lineRoutes } from './payments/lines.ts';
import { memberRoutes } from './payments/members.ts';
import { merchantAppRoutes } from './payments/merchant-apps.ts';
import { merchantRoutes } from './payments/merchants.ts';
import { movementRoutes } from './payments/movements.ts';
import { transactionRoutes } from './payments/transactions.ts';
import { paymentPageRoutes } from './pos/payment-page.ts';
import { userRoutes } from './users/users.ts';

/** The services of the specifications. `pos` is the payment page. */
export type ServiceName = 'users' | 'payments' | 'pos';

/** The services in the order in which they start. */
export const serviceNames = ['users', 'payments', 'pos'] as const satisfies ServiceName[];

/** Returns the operations of each service. */
export function routesOf(environment: Environment, invite: Invite): Record<ServiceName, Route[]> {
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
