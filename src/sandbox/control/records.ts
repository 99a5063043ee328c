import { z } from 'zod';
import type { DescribedRoute } from '../http/operation.ts';
import type { Controlled } from './controlled.ts';
import { defineOperation } from './operation.ts';

const count = (most: number) =>
  z.coerce
    .number()
    .pipe(z.int().min(1).max(most))
    .default(100)
    .describe('Maximum number of items. For the next page, send the last `number` as `after`.');
const after = z.coerce
  .number()
  .pipe(z.int().min(0))
  .optional()
  .describe('Lists the items after this `number`. By default, lists the last items.');

/** A request that a service got. */
export const loggedRequest = z
  .object({
    number: z.int().describe('Counts all requests since the start.'),
    service: z.enum(['users', 'payments', 'pos']),
    at: z.iso.datetime(),
    method: z.string(),
    path: z.string().describe('The path with its placeholders; `-` for an unknown one.'),
    ids: z.array(z.string()).describe('The ids in the path.'),
    status: z.int().describe('0 if a fault prevented a response.'),
    durationMs: z.int(),
    requestId: z
      .string()
      .describe(
        'The first eight digits of a UUID that the caller sent; `-` for any other id that the caller sent.',
      ),
    fault: z.string().optional().describe('The id of the fault that affected the request.'),
    faultKind: z.string().optional().describe('The kind of that fault.'),
  })
  .meta({ id: 'LoggedRequest' });

/** A mail to a new member. */
export const mail = z
  .object({
    number: z.int(),
    created: z.iso.datetime(),
    recipient: z.string(),
    subject: z.string(),
    body: z.string(),
    sent: z.boolean().describe('Whether a mail server accepted it.'),
  })
  .meta({ id: 'Mail' });

/** Lists the last requests and the mails. */
export function recordOperations({ environment, requests }: Controlled): DescribedRoute[] {
  return [
    defineOperation({
      method: 'GET',
      path: '/requests',
      summary: 'List the last requests to the services, oldest first. At most 1,000 are kept.',
      query: z.object({ after, limit: count(1_000) }),
      output: z.array(loggedRequest),
      handle: ({ query }) => requests.list(query.after, query.limit),
    }),
    defineOperation({
      method: 'DELETE',
      path: '/requests',
      summary: 'Clear the list of requests.',
      handle: () => requests.clear(),
    }),
    defineOperation({
      method: 'GET',
      path: '/outbox',
      summary: 'List the mails of invitations, oldest first.',
      query: z.object({ after, limit: count(1_000) }),
      output: z.array(mail),
      handle: ({ query }) =>
        environment.database.query(
          `SELECT * FROM (SELECT seq AS number, created, recipient, subject, body, sent FROM outbox
            WHERE seq > $1 ORDER BY seq ${query.after === undefined ? 'DESC' : 'ASC'} LIMIT $2) AS listed
            ORDER BY number`,
          [query.after ?? 0, query.limit],
        ),
    }),
  ];
}
