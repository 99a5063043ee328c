import { createTransport, type Transporter } from 'nodemailer';
import type { Environment } from '../environment.ts';
import type { MerchantRow } from './merchant-row.ts';

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
