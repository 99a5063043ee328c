import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { type AnyRecord, openShop, type Shop, smallestMerchant } from './shop.ts';

/** The mails that the server received, with their recipients. */
const messages: { recipients: string[]; message: string }[] = [];
let rejections = 0;
let silent = false;

const smtp = new SMTPServer({
  disabledCommands: ['AUTH', 'STARTTLS'],
  onConnect: (_session, done) => {
    if (!silent) done();
  },
  onRcptTo: ({ address }, _session, done) => {
    if (!address.startsWith('rejected')) return done();
    rejections++;
    done(new Error('No such mailbox'));
  },
  onData: async (stream, { envelope }, done) => {
    const recipients = envelope.rcptTo.map(({ address }) => address);
    messages.push({ recipients, message: await text(stream) });
    done();
  },
});

let sandbox: Sandbox;
let shop: Shop;
let members: string;
let reports: string[] = [];
let people = 0;

beforeAll(async () => {
  smtp.listen(0, '127.0.0.1');
  await once(smtp.server, 'listening');
  // A server that listens on a port has an AddressInfo.
  const { port } = smtp.server.address() as AddressInfo;
  sandbox = await startTestSandbox({
    smtpUrl: `smtp://127.0.0.1:${port}`,
    report: (line) => reports.push(line),
  });
  shop = await openShop(sandbox);
  members = `/merchants/${shop.id}/users`;
});
afterAll(async () => {
  await sandbox.close();
  await new Promise<void>((resolve) => smtp.close(resolve));
});

const newAddress = (name = 'person') => `${name}-${++people}@example.com`;
const invite = (email: unknown, path = members) => shop.payments.post(path, { email });

async function memberBy(email: string): Promise<AnyRecord> {
  const all = (await shop.payments.get(`${members}?limit=1000`)).body;
  return all.find((each: AnyRecord) => each.email === email);
}

describe('an invitation', () => {
  test('is one mail to the person, with the name of the merchant', async () => {
    const input = { ...smallestMerchant, name: 'Teestube' };
    const { merchant } = (await shop.payments.post('/merchants', input)).body;
    const email = newAddress();
    reports = [];
    const before = messages.length;
    await invite(email, `/merchants/${merchant.id}/users`);
    expect(messages.slice(before)).toEqual([
      { recipients: [email], message: expect.stringMatching(/^Subject: .*Teestube/m) },
    ]);
    expect(messages[before]?.message).toContain(smallestMerchant.website);
    expect(reports).toEqual([`Invitation for merchant ${merchant.id}: sent`]);
  });

  test('is sent again to a person who was revoked, but not to a member', async () => {
    const email = newAddress();
    await invite(email);
    const before = messages.length;
    await invite(email.toUpperCase());
    expect(messages).toHaveLength(before);
    await shop.payments.delete(`${members}/${(await memberBy(email)).id}`);
    await invite(email);
    expect(messages).toHaveLength(before + 1);
  });

  test.each(['one,two', 'Name<other', '(note)three'])(
    'is sent to exactly one recipient for the address %s@…',
    async (name) => {
      const email = newAddress(name);
      const before = messages.length;
      expect((await invite(email)).status).toBe(201);
      for (const { recipients } of messages.slice(before)) {
        expect(recipients.map((each) => each.replaceAll('"', ''))).toEqual([email]);
      }
      expect(await memberBy(email)).toBeDefined();
    },
  );

  test('that the server rejects is tried three times, then stored in the outbox', async () => {
    const email = newAddress('rejected');
    reports = [];
    rejections = 0;
    expect(await invite(email)).toMatchObject({ status: 201, body: { isMember: false } });
    expect(rejections).toBe(3);
    expect(reports).toEqual([
      ...[1, 2, 3].map(
        (attempt) => `Invitation for merchant ${shop.id}: attempt ${attempt} failed`,
      ),
      `Invitation for merchant ${shop.id}: stored in the outbox`,
    ]);
    expect(await memberBy(email)).toBeDefined();
  });

  test('is stored when the mail server accepts connections, but never responds', async () => {
    reports = [];
    silent = true;
    try {
      const { status, body } = await invite(newAddress());
      expect([status, body]).toEqual([201, { isMember: false }]);
    } finally {
      silent = false;
    }
    expect(reports).toEqual([
      ...[1, 2, 3].map(
        (attempt) => `Invitation for merchant ${shop.id}: attempt ${attempt} failed`,
      ),
      `Invitation for merchant ${shop.id}: stored in the outbox`,
    ]);
  });

  test('is reported without the address of the person', async () => {
    reports = [];
    await invite(newAddress());
    await invite(newAddress('rejected'));
    expect(reports).toHaveLength(5);
    for (const line of reports) expect(line).not.toContain('@');
  });
});
