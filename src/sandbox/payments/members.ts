import { createTransport, type Transporter } from 'nodemailer';
import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import { email, flag, page } from '../http/fields.ts';
import { httpError } from '../http/http-error.ts';
import { type DescribedRoute, defineOperation, json } from '../http/operation.ts';
import { listResponse } from '../http/response.ts';
import { date, id } from './fields.ts';
import { type MerchantRow, merchantInPath } from './merchant-row.ts';
import { listRows } from './rows.ts';

/** A stored member. A person has the same id at every merchant. */
interface MemberRow {
  readonly id: string;
  readonly email: string;
  readonly created: Date;
}

const Member = z.object({ id, email, created: date, name: z.null() }).meta({ id: 'Member' });

/** Invites, revokes and lists the members of a merchant. Specification: payments, "Operations". */
export function memberRoutes(environment: Environment, invite: Invite): DescribedRoute[] {
  const { database } = environment;
  return [
    defineOperation({
      method: 'POST',
      path: '/merchants/:id/users',
      summary: 'Invite a person to a merchant. They become a member at once.',
      subject: merchantInPath(database),
      body: { email },
      responses: {
        201: json(
          '`isMember` is true if they were a member already.',
          z.object({ isMember: flag }),
        ),
      },
      handle: async ({ subject: merchant, body: { email } }) => {
        const isMember = await database.transaction((tx) =>
          addMember(environment, tx, merchant.id, email),
        );
        if (!isMember) await invite(email, merchant);
        return { isMember };
      },
    }),
    defineOperation({
      method: 'DELETE',
      path: '/merchants/:id/users/:userId',
      summary: "Revoke a member's access to a merchant.",
      subject: merchantInPath(database),
      responses: { 204: { description: 'The person is no longer a member.' } },
      handle: async ({ subject: merchant, params }) => {
        const removed = await database.query(
          'DELETE FROM member WHERE merchant_id = $1 AND person_id = $2 RETURNING 1',
          [merchant.id, params.userId],
        );
        if (removed.length === 0) throw httpError(404, 'This merchant has no such member');
      },
    }),
    defineOperation({
      method: 'GET',
      path: '/merchants/:id/users',
      summary: 'List the members of a merchant, newest first.',
      subject: merchantInPath(database),
      query: page,
      responses: { 200: json('The members.', z.array(Member)) },
      handle: async ({ subject: merchant, query }) => {
        const rows = await listRows<MemberRow>(
          database,
          'person',
          'id IN (SELECT person_id FROM member WHERE merchant_id = $1)',
          [merchant.id],
          query,
        );
        return rows.map(({ id, email, created }) => ({ id, email, created, name: null }));
      },
      respond: listResponse,
    }),
  ];
}

/**
 * Makes a person a member of a merchant. Returns whether they were a member already. A person is
 * identified by their e-mail address, ignoring case.
 */
export async function addMember(
  environment: Environment,
  tx: Queryable,
  merchantId: string,
  address: string,
): Promise<boolean> {
  await tx.query(
    `INSERT INTO person (id, email, created) SELECT $1, $2, $3
      WHERE NOT EXISTS (SELECT 1 FROM person WHERE lower(email) = lower($2))
      ON CONFLICT DO NOTHING`,
    [await nextId(environment, tx), address, environment.clock()],
  );
  const added = await tx.query(
    `INSERT INTO member (merchant_id, person_id) SELECT $1, id FROM person WHERE lower(email) = lower($2)
      ON CONFLICT DO NOTHING RETURNING 1`,
    [merchantId, address],
  );
  return added.length === 0;
}

/** Notifies a person that they are a member of a merchant now. A failed mail is not an error. */
export type Invite = (email: string, merchant: MerchantRow) => Promise<void>;

interface Invitation {
  readonly email: string;
  readonly merchant: MerchantRow;
  readonly subject: string;
  readonly text: string;
}

const ATTEMPTS = 3;
const TIMEOUT_MS = 2_000;

/**
 * Creates the function that sends invitations. With `smtpUrl` it tries three times to send a
 * mail, with two seconds for each step of an attempt. It then inserts the invitation into the
 * outbox, with whether it was sent.
 *
 * @param report called with the result of every attempt, without the address of the person
 */
export function createInvite(
  environment: Environment,
  smtpUrl: string | undefined,
  report: (message: string) => void,
): Invite {
  const transport =
    smtpUrl === undefined
      ? undefined
      : createTransport({
          url: smtpUrl,
          connectionTimeout: TIMEOUT_MS,
          greetingTimeout: TIMEOUT_MS,
          socketTimeout: TIMEOUT_MS,
        });

  return async (email, merchant) => {
    const name = merchant.name ?? merchant.website;
    const subject = `You are a member of ${name}`;
    const text = `You now have access to the payments of ${name} (${merchant.website}).\n`;
    const sent = await send(transport, { email, merchant, subject, text }, report);
    await environment.database.query(
      'INSERT INTO outbox (created, recipient, subject, body, sent) VALUES ($1, $2, $3, $4, $5)',
      [environment.clock(), email, subject, text, sent],
    );
    report(`Invitation for merchant ${merchant.id}: ${sent ? 'sent' : 'stored in the outbox'}`);
  };
}

/** Tries to send a mail. Returns whether a mail server accepted it. */
async function send(
  transport: Transporter | undefined,
  { email, merchant, subject, text }: Invitation,
  report: (message: string) => void,
): Promise<boolean> {
  for (let attempt = 1; transport !== undefined && attempt <= ATTEMPTS; attempt++) {
    try {
      await transport.sendMail({ from: only(merchant.email), to: only(email), subject, text });
      return true;
    } catch {
      report(`Invitation for merchant ${merchant.id}: attempt ${attempt} failed`);
    }
  }
  return false;
}

/** Returns exactly one address. Nodemailer would parse the text `a,b@example.com` as two. */
const only = (address: string) => ({ name: '', address });
