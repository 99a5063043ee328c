import { z } from 'zod';
import { recordId } from '../control/fields.ts';

const ms = (most: number, description: string) => z.int().min(0).max(most).describe(description);

const applied = z
  .boolean()
  .default(false)
  .describe('Whether the service does what the request asks for before the fault happens.');

/** Which requests a fault affects. Everything that is left out matches every request. */
const match = {
  service: z
    .enum(['users', 'payments', 'pos'])
    .optional()
    .describe('Only requests to this service.'),
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  route: z
    .string()
    .max(200)
    .optional()
    .describe('Only this path, with its placeholders: `/transactions/:id/refunds`.'),
  merchantId: recordId('mer').optional().describe('Only requests for records of this merchant.'),
  every: z.int().min(1).optional().describe('Only every n-th of the requests that match.'),
  next: z
    .int()
    .min(1)
    .optional()
    .describe('Only the next n requests that match. Then the fault is removed.'),
  expiresInMs: ms(24 * 3_600_000, 'Removes the fault after this time.').optional(),
  delayMs: ms(600_000, 'Waits this long before anything else happens.').optional(),
};

/** The statuses whose responses have no body in HTTP. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

const kinds = [
  z
    .strictObject({ kind: z.literal('delay'), ...match, delayMs: match.delayMs.unwrap() })
    .describe('Handles the request after `delayMs`.'),
  z
    .strictObject({
      kind: z.literal('status'),
      ...match,
      applied,
      status: z.int().min(200).max(599),
      body: z.json().optional().describe('The body, as JSON; empty if left out.'),
      retryAfter: z.int().min(0).optional().describe('Seconds in the header `retry-after`.'),
    })
    .describe('Responds with this status.'),
  z
    .strictObject({ kind: z.literal('drop'), ...match, applied })
    .describe('Closes the connection without a response.'),
  z
    .strictObject({ kind: z.literal('silence'), ...match, applied })
    .describe('Never responds, and keeps the connection open.'),
  z
    .strictObject({ kind: z.literal('truncate'), ...match })
    .describe('Sends half of the response, then closes the connection.'),
  z
    .strictObject({ kind: z.literal('garble'), ...match })
    .describe('Sends a body of the same length that is not JSON.'),
  z
    .strictObject({
      kind: z.literal('stale'),
      ...match,
      agoMs: ms(60_000, 'How old the state is that a read shows.').min(1),
    })
    .describe('Responds to reads with the records as they were some time ago.'),
  z
    .strictObject({
      kind: z.literal('rateLimit'),
      ...match,
      requests: z.int().min(0).describe('Requests that are handled in each period.'),
      periodMs: ms(3_600_000, 'Length of a period.').min(1),
    })
    .describe('Responds with 429 and `retry-after` once a period has had its requests.'),
] as const;

/** A fault to add. */
export const faultInput = z
  .discriminatedUnion('kind', kinds)
  .superRefine((fault, context) => {
    const reject = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (fault.kind === 'status' && fault.body !== undefined && BODILESS.has(fault.status)) {
      reject('body', `Leave it out: a response with the status ${fault.status} has none`);
    }
    if (fault.kind === 'stale' && fault.method !== undefined && fault.method !== 'GET') {
      reject('method', 'Must be "GET": only reads are stale');
    }
    if (fault.service === 'users' && fault.merchantId !== undefined) {
      reject('merchantId', 'Leave it out: user records belong to no merchant');
    }
  })
  .meta({ id: 'FaultInput' });

export type FaultInput = z.output<typeof faultInput>;

/** A fault that affects requests now. */
export const faultOutput = z
  .object({
    id: z.string(),
    fault: faultInput,
    matched: z.int().describe('Requests that matched so far.'),
    affected: z.int().describe('Requests that the fault affected so far.'),
    expires: z.iso.datetime().nullable().describe('When the fault is removed; null if never.'),
  })
  .meta({ id: 'Fault' });

export type Fault = Readonly<z.output<typeof faultOutput>>;
