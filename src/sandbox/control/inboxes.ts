import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { invalidField } from '../http/http-error.ts';
import type { DescribedRoute } from '../http/operation.ts';
import { emptyResponse } from '../http/response.ts';
import type { HttpRequest } from '../http/router.ts';
import type { Controlled } from './controlled.ts';
import { inboxMessage, inboxResponse } from './inbox.ts';
import { defineOperation, describeRoute } from './operation.ts';

const whole = z.coerce.number();

const query = z.object({
  after: whole
    .pipe(z.int().min(0))
    .default(0)
    .describe('Lists only the messages after this `number`.'),
  wait: whole
    .pipe(z.int().min(0).max(30_000))
    .default(0)
    .describe('If there are none, waits this many milliseconds for one.'),
});

const inboxSummary = z
  .object({
    name: z.string(),
    messages: z.int().describe('How many are kept.'),
    newest: z.int().nullable().describe('The `number` of the newest message; null without one.'),
    response: inboxResponse,
  })
  .meta({ id: 'Inbox' });

/** Lists the inboxes, empties them and changes how they respond. */
export function inboxOperations({ inboxes }: Controlled): DescribedRoute[] {
  return [
    defineOperation({
      method: 'GET',
      path: '/inbox',
      summary: 'List the inboxes that were used, by name. The last 100 are kept.',
      output: z.array(inboxSummary),
      handle: () =>
        inboxes
          .entries()
          .map(([name, { messages, response }]) => {
            const newest = messages[0]?.number ?? null;
            return { name, messages: messages.length, newest, response };
          })
          .sort((one, other) => (one.name < other.name ? -1 : 1)),
    }),
    defineOperation({
      method: 'PUT',
      path: '/inbox/:name',
      summary: 'Change how an inbox responds. What is left out becomes as it was at the start.',
      body: inboxResponse,
      output: inboxResponse,
      errors: [400, 413, 415],
      handle: ({ params, body }) => {
        inboxes.respondWith(nameIn(params), body);
        return body;
      },
    }),
    defineOperation({
      method: 'DELETE',
      path: '/inbox/:name',
      summary: 'Empty an inbox.',
      errors: [400],
      handle: ({ params }) => inboxes.empty(nameIn(params)),
    }),
  ];
}

/** Receives messages, such as webhooks, and lists them. */
export function messageOperations({ inboxes, closing }: Controlled): DescribedRoute[] {
  return [
    describeRoute(
      {
        method: 'POST',
        path: '/inbox/:name',
        summary: 'Send a message of any content type to an inbox, which keeps the last 100.',
        body: z.unknown(),
        takesAnything: true,
        errors: [400, 413],
      },
      async (request) => {
        const name = nameIn(request.params);
        const body = await request.text();
        const { status, delayMs } = inboxes.add(name, { headers: keptHeaders(request), body });
        await sleep(delayMs, undefined, { signal: closing }).catch(() => {});
        return emptyResponse(status);
      },
    ),
    defineOperation({
      method: 'GET',
      path: '/inbox/:name',
      summary: 'List the messages of an inbox, newest first.',
      query,
      output: z.object({ messages: z.array(inboxMessage) }),
      errors: [400],
      handle: async ({ params, query: { after, wait } }) => {
        const end = AbortSignal.any([closing, AbortSignal.timeout(wait)]);
        return { messages: await inboxes.list(nameIn(params), after, end) };
      },
    }),
  ];
}

function nameIn({ name = '' }: HttpRequest['params']): string {
  if (/^[\w-]{1,64}$/.test(name)) return name;
  throw invalidField('name', 'Must have 1 to 64 letters, digits, `_` or `-`');
}

function keptHeaders({ headers }: HttpRequest): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) =>
    /^(content-type$|user-agent$|webhook-)/.test(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
