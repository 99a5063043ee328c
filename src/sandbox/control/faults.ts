import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import { faultInput, faultOutput } from '../faults/fault.ts';
import { found, invalidField } from '../http/http-error.ts';
import type { DescribedRoute } from '../http/operation.ts';
import type { Controlled } from './controlled.ts';
import { defineOperation } from './operation.ts';

/** Lists, adds and removes faults. */
export function faultOperations({ environment, faults, operations }: Controlled): DescribedRoute[] {
  return [
    defineOperation({
      method: 'GET',
      path: '/faults',
      summary: 'List the faults, in the order in which they apply.',
      output: z.array(faultOutput),
      handle: () => faults.list(),
    }),
    defineOperation({
      method: 'POST',
      path: '/faults',
      summary: 'Add a fault. A request is affected by the first fault that matches it.',
      body: faultInput,
      output: faultOutput,
      status: 201,
      handle: async ({ body }) => {
        requireKnownRoute(operations, body);
        await requireKnownMerchant(environment.database, body);
        return faults.add(body);
      },
    }),
    defineOperation({
      method: 'DELETE',
      path: '/faults',
      summary: 'Remove all faults.',
      handle: () => faults.clear(),
    }),
    defineOperation({
      method: 'DELETE',
      path: '/faults/:id',
      summary: 'Remove a fault.',
      handle: ({ params }) => {
        found(faults.remove(params.id ?? '') || undefined, 'This fault');
      },
    }),
  ];
}

/** Like a fault on a route that no service has, this one would never happen. */
async function requireKnownMerchant(
  database: Queryable,
  { merchantId }: z.output<typeof faultInput>,
): Promise<void> {
  if (merchantId === undefined) return;
  const known = await database.query('SELECT 1 FROM merchant WHERE id = $1', [merchantId]);
  if (known.length === 0) throw invalidField('merchantId', 'Must be the id of a merchant');
}

/** A fault on a route that no service has would never happen. */
function requireKnownRoute(
  operations: Controlled['operations'],
  { kind, service, method: given, route }: z.output<typeof faultInput>,
): void {
  const method = kind === 'stale' ? 'GET' : given;
  const known = Object.entries(operations)
    .filter(([name]) => service === undefined || name === service)
    .flatMap(([, names]) => names.map((name) => name.split(' ')))
    .filter(([name]) => method === undefined || name === method)
    .map(([, path]) => path);
  if (route === undefined || known.includes(route)) return;
  const routes = [...new Set(known)].sort().join(', ');
  throw invalidField('route', `Must be one of ${routes || 'the routes of the service'}`);
}
