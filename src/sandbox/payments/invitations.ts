import { createTransport } from 'nodemailer';
import type { Environment } from '../environment.ts';
import type { MerchantRow } from './merchants.ts';

/** Tells a person that they were made a member of a merchant. Never fails. */
export type Invite = (email: string, merchant: MerchantRow) => Promise<void>;

const ATTEMPTS = 3;
const TIMEOUT_MS = 2_000;

/**
 * Invitations through SMTP when an address is given, else into the outbox. What no
 * server took in three attempts goes into the outbox too, so that nothing is lost.
 *
 * @param report told of the outcome, without the recipient
 */
export function createInvite(
  environment: Environment,
  smtpUrl: string | undefined,
  report: (message: string) => void,
): Invite {
  const transport =
    smtpUrl === undefined
      ? undefined
      : createTransport(smtpUrl, {
          connectionTimeout: TIMEOUT_MS,
          greetingTimeout: TIMEOUT_MS,
          socketTimeout: TIMEOUT_MS,
        } as object);

  return async (email, merchant) => {
    const name = merchant.name ?? merchant.website;
    const subject = `You are a member of ${name}`;
    const text = `You now have access to the payments of ${name} (${merchant.website}).\n`;
    for (let attempt = 1; transport !== undefined && attempt <= ATTEMPTS; attempt++) {
      try {
        await transport.sendMail({ from: only(merchant.email), to: only(email), subject, text });
        report(`invitation for merchant ${merchant.id} sent`);
        return;
      } catch {
        report(`invitation for merchant ${merchant.id} not sent, attempt ${attempt}`);
      }
    }
    await environment.database.query(
      'INSERT INTO outbox (created, recipient, subject, body) VALUES ($1, $2, $3, $4)',
      [environment.clock(), email, subject, text],
    );
    report(`invitation for merchant ${merchant.id} put into the outbox`);
  };
}

/** Exactly this address: as plain text, nodemailer would read `a,b@example.com` as two. */
const only = (address: string) => ({ name: '', address });
