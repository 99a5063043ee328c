import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { createControl } from '../../src/sandbox/testing/control-client.ts';
import { findChromium, newVisitor, startBrowser, type Visitor } from '../support/browser.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';

const executable = findChromium();
const why = executable === undefined ? ' (skipped: no Chromium was found; set CHROMIUM)' : '';
if (why !== '') console.warn(`The page of the control interface${why}`);

const require = createRequire(import.meta.url);
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const views = [
  ...['overview', 'faults', 'clock', 'records', 'payments', 'disputes', 'payouts', 'outbox'],
  'inboxes',
] as const;

const HOSTILE = '<img src=x onerror="document.title=1">';
const DEMO_KEY = 'demo-key-of-this-test';

describe.skipIf(executable === undefined)(`the page of the control interface${why}`, () => {
  let sandbox: Sandbox;
  let control: ReturnType<typeof createControl>;
  let browser: Browser;
  /** The page of all tests. */
  let visitor: Visitor;
  let url: string;

  beforeAll(async () => {
    sandbox = await startTestSandbox({ controlPort: 0, demoKey: DEMO_KEY });
    url = sandbox.controlUrl ?? '';
    control = createControl(url);
    browser = await startBrowser(executable);
    visitor = await newVisitor(browser);
    await visitor.page.goto(`${url}/`);
    await visitor.page.locator('#merchant-list li').first().waitFor();
  });

  afterAll(async () => {
    await browser?.close();
    await sandbox?.close();
  });

  const link = (name: string) =>
    visitor.page.getByRole('navigation').getByRole('link', { name, exact: true });

  /** Opens a view as a visitor does, and returns it. */
  async function open(name: string): Promise<Locator> {
    await link(name).click();
    return visitor.page.locator('main > section:visible');
  }

  /** The form or the part of the view with this heading. */
  function part(view: Locator, heading: string): Locator {
    const title = visitor.page.getByRole('heading', { name: heading, exact: true });
    return view.locator('.card').filter({ has: title });
  }

  const press = (within: Locator, name: string) =>
    within.getByRole('button', { name, exact: true }).click();

  const payments = (path: string, init: RequestInit = {}) =>
    fetch(`${sandbox.paymentsUrl}${path}`, {
      ...init,
      headers: {
        authorization: `Basic ${btoa(`:${DEMO_KEY}`)}`,
        'content-type': 'application/json',
      },
    });

  const newestRequest = () => visitor.page.locator('#request-list li').first();

  test('it allows no inline scripts or styles, no other origins, and is not stored', async () => {
    for (const path of ['/', '/page/start.js', '/page/page.css']) {
      const { status, headers } = await fetch(url + path);
      expect(status).toBe(200);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).not.toContain('unsafe');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
    }
    for (const path of ['/page/..%2fpage.ts', '/page/page.html', '/page/nothing.js']) {
      expect((await fetch(url + path)).status).toBe(404);
    }
  });

  test('the overview shows where everything is, and the key on request', async () => {
    const view = await open('Overview');
    for (const address of [sandbox.usersUrl, sandbox.paymentsUrl, sandbox.posUrl, url]) {
      await view.getByText(address, { exact: true }).waitFor();
    }
    const merchants = part(view, 'Merchants of the demo app').getByRole('listitem');
    const names = merchants.locator('strong');
    await expect
      .poll(() => names.allTextContents())
      .toEqual(['Nordlys Kaffee', 'Havnens Bageri', 'Harbour Cycles']);
    expect(await visitor.page.content()).not.toContain(DEMO_KEY);
    await press(view, 'Show');
    await view.getByText(DEMO_KEY, { exact: true }).waitFor();
    await visitor.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await part(view, 'Demo app').getByRole('button', { name: 'Copy' }).click();
    await view.getByText('Copied.').waitFor();
    expect(await visitor.page.evaluate(() => navigator.clipboard.readText())).toBe(DEMO_KEY);
    await press(view, 'Show');
    expect(await visitor.page.content()).not.toContain(DEMO_KEY);
  });

  test('a fault acts on the requests that it is for, and is removed', async () => {
    const view = await open('Faults');
    const form = part(view, 'Add a fault');
    await form.getByLabel('Kind').selectOption('Status');
    await form.getByLabel('Status', { exact: true }).fill('502');
    await form.getByLabel('Retry after').fill('7');
    await form.getByLabel('Body').fill('{"message": "not now"}');
    await form.getByLabel('Requests', { exact: true }).selectOption('GET /me');
    await form.getByLabel('Next n requests only').fill('2');
    await press(form, 'Add fault');
    await form.getByText('Added.').waitFor();

    const response = await payments('/me');
    expect([response.status, response.headers.get('retry-after')]).toEqual([502, '7']);
    expect(await response.json()).toEqual({ message: 'not now' });
    await newestRequest().getByText('fault: Status 502').waitFor();
    const fault = part(view, 'Active faults').getByRole('listitem').first();
    for (const text of ['payments: GET /me', 'matched 1, affected 1', '2 requests at most']) {
      await expect.poll(() => fault.textContent()).toContain(text);
    }
    await visitor.page.getByRole('link', { name: '1 fault active' }).waitFor();
    await view.getByRole('button', { name: 'Remove the fault “Status 502”' }).click();
    await visitor.page.getByRole('link', { name: 'No faults' }).waitFor();
    expect(await control.faults.list()).toEqual([]);
    await view.getByText('Removed.', { exact: true }).waitFor();
    await press(form, 'Add fault');
    await form.getByText('Added.').waitFor();
    expect(await view.getByText('Removed.', { exact: true }).count()).toBe(0);
    await control.faults.clear();
  });

  test('a view that is opened by its address is below the header of a phone', async () => {
    const phone = await newVisitor(browser);
    await phone.page.setViewportSize({ width: 390, height: 844 });
    for (const name of ['faults', 'payments']) {
      await phone.page.goto(`${url}/?${name}#${name}`);
      await phone.page.locator('#merchant-list li').first().waitFor({ state: 'attached' });
      const topOf = async (selector: string) => await phone.page.locator(selector).boundingBox();
      const header = await topOf('header');
      const title = await topOf(`#${name}-title`);
      expect(title?.y).toBeGreaterThanOrEqual((header?.y ?? 0) + (header?.height ?? 0));
    }
    await phone.page.goto(`${url}/?requests#requests`);
    // In the window, although the list is too short to be at its top.
    await expect
      .poll(async () => (await phone.page.locator('#requests-title').boundingBox())?.y)
      .toBeLessThan(800);
    const currencies = phone.page.locator('#pay-currency option');
    await expect.poll(() => currencies.count()).toBeGreaterThan(100);
    const codes = await currencies.allTextContents();
    expect(['BYR', 'BGN', 'EUR'].filter((code) => codes.includes(code))).toEqual(['EUR']);
    await phone.page.close();
  });

  test('each kind of fault can be added, with the fields of its kind', async () => {
    const view = await open('Faults');
    const form = part(view, 'Add a fault');
    const kind = form.getByLabel('Kind');
    const labels = await kind.locator('option').allTextContents();
    const fields: Record<string, (string | null)[]> = {};
    const usual = new Set(['operation', 'merchantId', 'next', 'every', 'expiresInMs', 'kind']);
    for (const label of labels) {
      await kind.selectOption(label);
      const shown = form.locator(':is(input, select, textarea):visible');
      const names = await shown.evaluateAll((all) => all.map((one) => one.getAttribute('name')));
      fields[label] = names.filter((name) => !usual.has(name ?? ''));
      await press(form, 'Add fault');
      await form.getByText('Added.').waitFor();
    }
    expect(fields).toEqual({
      Delay: ['delayMs'],
      Status: ['status', 'retryAfter', 'body', 'delayMs', 'applied'],
      Drop: ['delayMs', 'applied'],
      Silence: ['delayMs', 'applied'],
      Truncate: ['delayMs'],
      Garble: ['delayMs'],
      Stale: ['agoMs', 'delayMs'],
      'Rate limit': ['requests', 'periodMs', 'delayMs'],
    });
    expect((await control.faults.list()).map(({ fault }) => fault.kind)).toEqual([
      ...['delay', 'status', 'drop', 'silence', 'truncate', 'garble', 'stale', 'rateLimit'],
    ]);
    await press(view, 'Remove all');
    await visitor.page.getByRole('link', { name: 'No faults' }).waitFor();
  });

  test('what the interface rejects is shown at its field, and the field gets the focus', async () => {
    const view = await open('Faults');
    const form = part(view, 'Add a fault');
    await form.getByLabel('Kind').selectOption('Status');
    const status = form.getByLabel('Status', { exact: true });
    for (const [value, message] of [
      ['700', 'Must be at most 599; it was 700.'],
      ['', 'Missing.'],
    ] as const) {
      await status.fill(value);
      await press(form, 'Add fault');
      await form.getByText(message).waitFor();
      const described = await status.getAttribute('aria-describedby');
      expect(await form.locator(`[id="${described}"]`).textContent()).toBe(message);
      expect(await status.evaluate((field) => field === document.activeElement)).toBe(true);
    }
    await status.fill('503');
    await form.getByLabel('Body').fill('{');
    await press(form, 'Add fault');
    await form.getByText('Must be JSON').waitFor();
    expect(await status.getAttribute('aria-invalid')).toBe(null);
    await form.getByLabel('Body').fill('');

    const deciding = part(await open('Disputes'), 'Decide a dispute');
    await deciding.getByLabel('Dispute id').fill('0'.repeat(24));
    await press(deciding, 'Decide');
    await deciding.getByRole('alert').getByText('This dispute does not exist.').waitFor();
  });

  test('the clock ticks, stands still and moves forward', async () => {
    const view = await open('Clock');
    const reading = () => view.locator('#clock-now').textContent();
    await expect.poll(reading).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    const before = await reading();
    await expect.poll(reading).not.toBe(before);
    await press(view, 'Freeze');
    await view.getByText('The clock is frozen.').waitFor();
    const { now } = await control.clock.read();
    await press(view, '1 day');
    await view.getByText('The clock reads').waitFor();
    expect(Date.parse((await control.clock.read()).now) - Date.parse(now)).toBe(86_400_000);

    const form = part(view, 'Move it to a date');
    const date = form.getByLabel('Date and time');
    await press(form, 'Move clock');
    await form.getByText('Must be a date and time').waitFor();
    await date.fill('2020-01-01T00:00');
    await press(form, 'Move clock');
    await form.getByText('moves forward only.').waitFor();
    await date.fill('2031-05-06T07:08');
    await press(form, 'Move clock');
    await form.getByText('The clock reads 2031-05-06 07:08:00.').waitFor();
    expect(await reading()).toBe('2031-05-06 07:08:00');
    await press(view, 'Resume');
    await view.getByText('The clock is running.').waitFor();
    expect((await control.clock.read()).frozen).toBe(false);
  });

  test('a snapshot is taken, restored after a confirmation, exported, imported and deleted', async () => {
    const { page } = visitor;
    const view = await open('Records');
    await view.getByLabel('Name').first().fill('my first');
    await press(view, 'Take snapshot');
    await view.getByText('Must have 1 to 64 letters, digits').waitFor();
    await view.getByLabel('Name').first().fill('first');
    await press(view, 'Take snapshot');
    await view.getByText('Took “first”.').waitFor();

    const scene = await control.makeScene({ name: 'Made afterwards', payments: [] });
    expect((await payments(`/merchants/${scene.merchant.id}`)).status).toBe(200);
    await press(view, 'Restore “first”');
    await press(page.getByRole('dialog'), 'Cancel');
    await view.getByText('Nothing was changed.').waitFor();
    expect((await payments(`/merchants/${scene.merchant.id}`)).status).toBe(200);
    await press(view, 'Restore “first”');
    await press(page.getByRole('dialog'), 'Replace records');
    await view.getByText('The sandbox has the records of “first”.').waitFor();
    expect((await payments(`/merchants/${scene.merchant.id}`)).status).not.toBe(200);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      view.getByRole('link', { name: 'Export “first”' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('first.json');
    const form = part(view, 'Import a snapshot');
    const buffer = readFileSync(await download.path());
    const file = { name: 'a copy.json', mimeType: 'application/json', buffer };
    await form.getByLabel('File').setInputFiles(file);
    await press(form, 'Import snapshot');
    await form.getByText('Imported “a-copy”.').waitFor();
    await press(view, 'Delete “first”');
    await press(page.getByRole('dialog'), 'Delete snapshot');
    await view.getByText('Deleted “first”.').waitFor();
    expect((await control.snapshots.list()).map(({ name }) => name)).toEqual(['a-copy']);

    const reset = part(view, 'Reset all records');
    await reset.getByLabel('To', { exact: true }).selectOption('Only the demo app');
    await press(reset, 'Reset…');
    await press(page.getByRole('dialog'), 'Replace records');
    await reset.getByText('The sandbox has only the demo app.').waitFor();
    await (await open('Overview')).getByText('None. Make one under').waitFor();
    await control.reset();
  });

  test('a payment, its expiry, a scene, disputes, fraud alerts and payouts', async () => {
    await visitor.page.reload();
    const view = await open('Payments');
    const pay = part(view, 'Pay');
    await pay.getByLabel('Merchant').selectOption('Harbour Cycles (USD)');
    for (const [value, message] of [
      ['', 'Missing.'],
      ['1.5', 'Must be an integer.'],
    ] as const) {
      await pay.getByLabel('Amount').fill(value);
      await press(pay, 'Pay');
      await pay.getByText(message).waitFor();
    }
    await pay.getByLabel('Amount').fill('123456');
    await pay.getByText('USD 1,234.56').waitFor();
    await press(pay, 'Pay');
    await pay.getByText('Reserved USD 1,234.56.').waitFor();
    const id = (await pay.locator('output code').textContent()) ?? '';
    const { transaction } = (await (await payments(`/transactions/${id}`)).json()) as {
      readonly transaction: object;
    };
    expect(transaction).toMatchObject({ amount: 123456, currency: 'USD', pendingAmount: 123456 });
    await pay.getByLabel('Test card').selectOption('declined-7');
    await press(pay, 'Pay');
    await pay.getByText('Declined: Insufficient funds (7).').waitFor();

    const expiry = part(view, 'Let a reservation expire');
    await expiry.getByLabel('Transaction id').fill(id);
    await press(expiry, 'Expire');
    await expiry.getByText('Voided 123456 minor units.').waitFor();

    const scene = part(view, 'Make a scene');
    await scene.getByLabel('Seed').fill('7');
    await scene.getByLabel('Merchant name').fill(HOSTILE);
    await press(scene, 'Make scene');
    await scene.getByText('with 12 payments').waitFor();
    const captured = scene.getByRole('listitem').filter({ hasText: /^captured/ });
    const capturedId = (await captured.locator('code').textContent()) ?? '';

    const disputing = await open('Disputes');
    const dispute = part(disputing, 'Open a dispute');
    await dispute.getByLabel('Transaction id').fill(capturedId);
    await press(dispute, 'Open dispute');
    await dispute.getByText('Opened dispute').waitFor();
    await press(part(disputing, 'Decide a dispute'), 'Decide');
    await disputing.getByText('The merchant won.').waitFor();
    const fraud = part(disputing, 'File a fraud alert');
    await fraud.getByLabel('Transaction id').fill(capturedId);
    await press(fraud, 'File fraud alert');
    await fraud.getByText('Filed fraud alert').waitFor();

    const payouts = await open('Payouts');
    const payout = part(payouts, 'Pay out a merchant');
    await payout.getByLabel('Merchant').selectOption('Nordlys Kaffee (EUR)');
    await payout.getByLabel('Amount').fill('500');
    await press(payout, 'Pay out');
    await payout.getByText('Paid out EUR 5.00.').waitFor();
    await payouts.getByLabel('Pay out all merchants').selectOption('Every day');
    await press(payouts, 'Save schedule');
    await payouts.getByText('paid out every 1 day, next at').waitFor();
    expect((await control.payouts.schedule()).everyMs).toBe(86_400_000);
    await control.payouts.setSchedule(null);
  });

  test('names, mails and references appear as text, whatever they contain', async () => {
    const { page } = visitor;
    const { merchant } = await control.makeScene({ name: HOSTILE, seed: 9, payments: [] });
    const body = JSON.stringify({ email: 'ada@example.com' });
    const added = await payments(`/merchants/${merchant.id}/users`, { method: 'POST', body });
    expect(added.status).toBe(201);
    const outbox = await open('Outbox');
    await outbox.getByText(`You are a member of ${HOSTILE}`, { exact: true }).waitFor();
    await outbox.getByText('to ada@example.com').waitFor();
    const overview = await open('Overview');
    await overview.getByText(HOSTILE, { exact: true }).first().waitFor();
    expect(await page.locator('img:not(header img)').count()).toBe(0);
    expect(await page.title()).toBe('Tillgraph sandbox');
  });

  test('the inboxes show their messages as text, and JSON on several lines', async () => {
    const { page } = visitor;
    const view = await open('Inboxes');
    await view.getByText('None. An inbox appears here').waitFor();
    await view.getByText(`${url}/inbox/orders`, { exact: true }).waitFor();
    const orders = control.inbox('orders');
    const headers = { 'webhook-id': 'msg_1' };
    await fetch(orders.url, { method: 'POST', headers, body: '{"a":{"b":[1]}}' });
    await fetch(orders.url, { method: 'POST', body: `{${HOSTILE}` });
    const messages = part(view, 'orders').getByRole('listitem');
    await messages.nth(1).waitFor();
    const expected = [`{${HOSTILE}`, '{\n  "a": {\n    "b": [\n      1\n    ]\n  }\n}'];
    expect(await messages.locator('pre').allTextContents()).toEqual(expected);
    expect(await messages.locator('code').allTextContents()).toEqual(['no webhook-id', 'msg_1']);
    const [newest] = await orders.list();
    const time = messages.locator('time').first();
    expect(await time.getAttribute('datetime')).toBe(newest?.receivedAt);
    expect(await page.locator('img:not(header img)').count()).toBe(0);
    expect(await page.title()).toBe('Tillgraph sandbox');

    await orders.clear();
    await orders.respondWith({ status: 500, delayMs: 2_000 });
    await part(view, 'orders').getByText('Responds with 500 after 2 seconds.').waitFor();
    await part(view, 'orders').getByText('No messages.').waitFor();
    // It is part of the check with axe.
    await fetch(orders.url.replace('orders', 'shown'), { method: 'POST', headers, body: '{}' });
    await part(view, 'shown').getByText('msg_1').waitFor();
  });

  test('the log shows new requests within seconds, unless it is paused', async () => {
    const { page } = visitor;
    const log = page.getByRole('complementary', { name: 'Requests' });
    await press(log, 'Clear');
    await log.getByText('No requests yet.').waitFor();
    await payments('/me');
    await log.getByText('GET /me').waitFor();
    await press(log, 'Pause');
    await fetch(`${sandbox.usersUrl}/nothing-is-here`);
    await expect
      .poll(() => page.evaluate(() => document.querySelector('#requests-pause')?.ariaPressed))
      .toBe('true');
    // Two ticks of its clock take longer than the time between two reads of the log.
    const ticks = new Set<string | null>();
    const clock = page.locator('#clock-chip time');
    await expect.poll(async () => ticks.add(await clock.textContent()).size).toBe(3);
    expect(await log.getByRole('listitem').count()).toBe(1);
    await press(log, 'Pause');
    const newest = newestRequest();
    await newest.getByText('unknown path').waitFor();
    for (const text of ['404', 'users', 'ms']) expect(await newest.textContent()).toContain(text);
    const asked = visitor.requests.filter((address) => address.includes('/requests?'));
    expect(asked.at(-1)).not.toContain('after=0&');
    expect(await page.content()).not.toContain(DEMO_KEY);
  });

  test('views, errors and dialogs have no finding of axe in light and dark, and fit a narrow screen', async () => {
    const { page } = visitor;
    await control.faults.add({ kind: 'delay', delayMs: 1, service: 'users' });
    await control.snapshots.take('shown');
    await fetch(`${sandbox.usersUrl}/users`);
    await newestRequest().getByText('fault: Delay of 1 ms').waitFor();
    await page.evaluate(axe);
    const found: string[] = [];
    const check = async (what: string) => {
      const findings = await page.evaluate(async () => {
        // biome-ignore lint/suspicious/noExplicitAny: axe-core adds itself to the window
        const { violations } = await (window as any).axe.run('html');
        return (violations as { id: string; nodes: { target: string[] }[] }[]).flatMap(
          ({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
        );
      });
      found.push(...findings.map((finding) => `${what}: ${finding}`));
      const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      if (excess > 0) found.push(`${what} is ${excess} pixels too wide`);
    };
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 390],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      for (const name of views) {
        await link(name[0]?.toUpperCase() + name.slice(1)).click();
        await page.locator(`#${name}`).waitFor();
        await check(`${name}, ${colorScheme}`);
      }
      const form = part(await open('Faults'), 'Add a fault');
      await form.getByLabel('Kind').selectOption('Status');
      await form.getByLabel('Status', { exact: true }).fill('700');
      await press(form, 'Add fault');
      await form.getByText('Must be at most 599').waitFor();
      await check(`an error, ${colorScheme}`);
      await press(part(await open('Records'), 'Reset all records'), 'Reset…');
      await page.getByRole('dialog').waitFor();
      await check(`a dialog, ${colorScheme}`);
      await press(page.getByRole('dialog'), 'Cancel');
    }
    expect(found).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('the keyboard reaches a view and its form, and the page asked nobody else', async () => {
    const { page, requests, errors } = visitor;
    await link('Overview').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Faults', exact: true }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('faults-title');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter'); // Remove all
    await page.getByRole('link', { name: 'No faults' }).waitFor();
    expect(new Set(requests.map((address) => new URL(address).origin))).toEqual(new Set([url]));
    // Chromium logs every response that is not successful. The page shows them in its forms.
    expect(errors.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
  });
});
