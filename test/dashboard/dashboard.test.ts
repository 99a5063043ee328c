import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { findChromium, newVisitor, startBrowser, type Visitor } from '../support/browser.ts';
import {
  type Answered,
  type Fault,
  type FaultProxy,
  passOn,
  startFaultProxy,
} from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { patientGateway } from '../support/patience.ts';
import { fastSync, type Stack, startGateway, startStack } from '../support/start-stack.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { openTestReplica } from '../support/test-replica.ts';
import { buildDashboard, countLines, readGatewayEnv, serveDashboard } from './serve-dashboard.ts';

const executable = findChromium();
const why = executable === undefined ? ' (skipped: no Chromium was found; set CHROMIUM)' : '';
if (why !== '') console.warn(`The dashboard in a browser${why}`);

/** Few enough that adding up the demo data takes several requests. */
const EXAMINED_AT_ONCE = 20;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

// Also without a browser, because it checks the types.
beforeAll(buildDashboard);

test('the dashboard has at most 1,200 lines of code', () => {
  expect(countLines()).toBeLessThanOrEqual(1_200);
});

describe.skipIf(executable === undefined)(`the dashboard in a browser${why}`, () => {
  let stack: Stack;
  /** In front of the payments service. */
  let service: FaultProxy;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  let dashboard: Awaited<ReturnType<typeof serveDashboard>>;
  let browser: Browser;
  let merchantId: string;

  beforeAll(async () => {
    stack = await startStack();
    service = await startFaultProxy(stack.sandbox.paymentsUrl);
    dashboard = await serveDashboard(async (issuer) => {
      const { usersUrl, posUrl, demoApp } = stack.sandbox;
      gateway = await startGateway({
        auth: readGatewayEnv(issuer, demoApp.key).auth,
        services: { usersUrl, paymentsUrl: service.url, posUrl },
        upstream: { ...patientGateway.upstream, maxSearchCalls: 1 },
        pageMax: EXAMINED_AT_ONCE,
      });
      return gateway.url;
    });
    browser = await startBrowser(executable);
    merchantId = (await given(stack).merchant()).id;
  });

  afterAll(async () => {
    await browser?.close();
    await dashboard?.close();
    await gateway?.close();
    await service?.close();
    await stack?.close();
  });

  beforeEach(() => {
    service.onRead = undefined;
    service.onWrite = undefined;
  });

  /** The cookies of people who have signed in. */
  const sessions = new Map<string, ReturnType<typeof signIn>>();

  async function signIn(person: string) {
    const { page, close } = await newVisitor(browser);
    await page.goto(dashboard.url);
    await page.getByRole('button', { name: person }).click();
    await page.getByText(`${person} Sign out`).waitFor();
    const storageState = await page.context().storageState();
    await close();
    return storageState;
  }

  /** Opens a profile of somebody who is signed in. */
  async function openProfile(person: string, options: BrowserContextOptions = {}) {
    const session = sessions.get(person) ?? signIn(person);
    sessions.set(person, session);
    const settings = { storageState: await session, timezoneId: 'Europe/Copenhagen' };
    return newVisitor(browser, { ...settings, ...options });
  }

  /** Somebody who is signed in, and looks at a page in a profile of this test. */
  async function visitAlone(search: string, person = 'Anna', options: BrowserContextOptions = {}) {
    const visitor = await openProfile(person, options);
    onTestFinished(visitor.close);
    if (search !== '') await visitor.page.goto(`${dashboard.url}/${search}`);
    return visitor;
  }

  let anna: Promise<Visitor> | undefined;

  /** Anna, who looks at a page. Tests share her profile, and each leaves it without operations. */
  async function visit(search: string) {
    anna ??= openProfile('Anna');
    const context = (await anna).page.context();
    const page = await context.newPage();
    onTestFinished(async () => {
      await page.evaluate(() => localStorage.clear());
      const [, ...opened] = context.pages();
      await Promise.all(opened.map((one) => one.close()));
    });
    await page.goto(`${dashboard.url}/${search}`);
    return { page };
  }

  /** Fills in the form of an action and confirms it. */
  async function act(page: Page, name: string, amount: string) {
    await page.getByRole('button', { name: `${name}…` }).click();
    await page.getByRole('textbox').fill(amount);
    await page.getByRole('dialog').getByRole('button', { name }).click();
  }

  const notice = (page: Page, text: string) => page.getByRole('heading', { name: text });

  /** The idempotency keys that a page sends from now on. */
  function watchKeys(page: Page): string[] {
    const keys: string[] = [];
    page.on('request', (request) => {
      const { variables } = request.postDataJSON() ?? {};
      if (variables?.input) keys.push(variables.input.idempotencyKey);
    });
    return keys;
  }

  const stored = (page: Page) => page.evaluate(() => Object.keys(localStorage));

  /** The kinds of the entries that the service has, and how many requests reached it. */
  async function movesOf(id: string) {
    const { data } = await stack.ask(
      'query ($id: ID!) { transaction(id: $id) { trail { __typename } } }',
      { id },
    );
    const rawId = id.replace('txn_', '');
    return {
      trail: data.transaction.trail.map((entry: { __typename: string }) => entry.__typename),
      posts: service.forwarded.filter((name) => name.startsWith(`POST /transactions/${rawId}/`))
        .length,
    };
  }

  async function captured(minorUnits: number): Promise<string> {
    const transactionId = await given(stack).transaction(minorUnits);
    const { data } = await stack.ask(
      `mutation ($input: CaptureTransactionInput!) { captureTransaction(input: $input) { __typename } }`,
      {
        input: { transactionId, amount: { minorUnits, currency: 'EUR' }, idempotencyKey: newKey() },
      },
    );
    expect(data.captureTransaction.__typename).toBe('CaptureTransactionSuccess');
    return transactionId;
  }

  const loseAnswer: Fault = async (forward, response) => {
    await forward();
    response.destroy();
  };
  const refuse: Fault = (_forward, response) => void response.destroy();

  /** Answers reads of one transaction as before, like a replica that lags. */
  function lag(id: string): Fault {
    let before: Promise<Answered> | undefined;
    return (forward, response, request) => {
      if (!request.url?.includes(id.replace('txn_', ''))) return passOn(forward, response, request);
      before ??= forward();
      return passOn(() => before as Promise<Answered>, response, request);
    };
  }

  test('a refund whose answer is lost is being checked, also after a reload, and is made once', async () => {
    const id = await captured(1000);
    const { page } = await visitAlone('');
    await page.clock.install();
    service.onRead = lag(id);
    service.onWrite = loseAnswer;
    const keys = watchKeys(page);
    await page.goto(`${dashboard.url}/?id=${id}`);
    await act(page, 'Refund', '4');
    await notice(page, 'Refund of EUR 4.00 is being checked').waitFor();
    await page.getByText('It is not known yet whether the money has moved.').waitFor();
    const checkNow = page.getByRole('button', { name: 'Check now' });
    await checkNow.waitFor();
    // Nothing else is offered meanwhile.
    expect(await page.getByRole('button', { name: /…$/ }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Give up' }).count()).toBe(0);

    await page.reload();
    await notice(page, 'Refund of EUR 4.00 is being checked').waitFor();
    await expect.poll(() => keys.length).toBe(2);
    await checkNow.waitFor();
    expect(await page.getByRole('button', { name: /…$/ }).count()).toBe(0);

    // Another browser does not know the key, but learns of the operation from the gateway.
    const { page: elsewhere } = await visitAlone(`?id=${id}`);
    await elsewhere.getByText('Refund of EUR 4.00 was started elsewhere.').waitFor();
    expect(await elsewhere.getByRole('button', { name: /…$/ }).count()).toBe(0);

    // The service shows the refund, and the next check finds it.
    service.onRead = undefined;
    await page.clock.fastForward(31_000);
    await notice(page, 'Refund of EUR 4.00 succeeded').waitFor();
    await page.getByRole('cell', { name: 'Refund', exact: true }).waitFor();
    expect(keys.length).toBe(3);
    expect(new Set(keys).size).toBe(1);
    expect(await movesOf(id)).toEqual({
      trail: ['CaptureTrailEntry', 'RefundTrailEntry'],
      posts: 1,
    });
    await page.getByRole('button', { name: 'Refund…' }).waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await expect.poll(() => stored(page)).toEqual([]);
  });

  test('a capture whose answer does not reach the browser is repeated with the same key', async () => {
    const id = await given(stack).transaction(1000);
    const { page } = await visit(`?id=${id}`);
    const keys = watchKeys(page);
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('captureTransaction')) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await act(page, 'Capture', '2,50');
    await page.getByText('No valid answer arrived.').waitFor();
    expect(await stored(page)).toEqual([expect.stringContaining(keys[0] ?? '-')]);
    expect(await page.getByRole('button', { name: 'Give up' }).count()).toBe(0);
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Check now' }).click();
    await notice(page, 'Capture of EUR 2.50 succeeded').waitFor();
    expect(keys).toEqual([keys[0], keys[0]]);
    expect(await movesOf(id)).toEqual({ trail: ['CaptureTrailEntry'], posts: 1 });
    await page.locator('dl').getByText('EUR 7.50').waitFor();
  });

  test('two tabs do not send an operation at the same time', async () => {
    const id = await given(stack).transaction(1000);
    const { page } = await visit(`?id=${id}`);
    const other = await page.context().newPage();
    const keys = [watchKeys(page), watchKeys(other)];
    await other.goto(page.url());
    await other.getByRole('button', { name: 'Capture…' }).waitFor();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    onTestFinished(release);
    service.onWrite = async (...call) => {
      await held;
      return passOn(...call);
    };
    await act(page, 'Capture', '1');
    await notice(other, 'Capture of EUR 1.00 is being checked').waitFor();
    // Either tab may send it. The other one can only look whether it still has to.
    const buttons = [page, other].map((tab) => tab.locator('.notice button'));
    const texts = () => Promise.all(buttons.map((button) => button.textContent()));
    await expect.poll(async () => (await texts()).sort()).toEqual(['Check now', 'Checking…']);
    await buttons[(await texts()).indexOf('Check now')]?.click();
    release();
    await notice(page, 'Capture of EUR 1.00 succeeded').waitFor();
    await notice(other, 'Capture of EUR 1.00 succeeded').waitFor();
    await other.locator('dl').getByText('EUR 9.00').waitFor();
    expect(keys.flat().length).toBe(1);
  });

  test('a void takes only an amount that is available', async () => {
    const id = await given(stack).transaction(1000);
    const { page } = await visit(`?id=${id}`);
    await page.getByRole('button', { name: 'Void…' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Void' });
    for (const text of ['', 'ten', '0', '-1', '10.001', '10.01', '1,000.00']) {
      await page.getByRole('textbox').fill(text);
      expect(await confirm.isDisabled(), text).toBe(true);
    }
    await page.getByRole('textbox').fill('10');
    await expect.poll(() => confirm.textContent()).toBe('Void EUR 10.00');
    await confirm.click();
    await notice(page, 'Void of EUR 10.00 succeeded').waitFor();
    await page.getByText('Voided', { exact: true }).first().waitFor();
    expect(await movesOf(id)).toEqual({ trail: ['VoidTrailEntry'], posts: 1 });
  });

  test('an operation that was never sent can be given up', async () => {
    const id = await given(stack).transaction(1000);
    const { page } = await visit(`?id=${id}`);
    await page.getByRole('button', { name: 'Capture…' }).waitFor();
    service.onRead = refuse;
    await act(page, 'Capture', '1');
    const giveUp = page.getByRole('button', { name: 'Give up' });
    await giveUp.waitFor();
    // What was read before stays.
    await page.getByRole('alert').waitFor();
    await page.getByRole('heading', { name: 'EUR 10.00 Authorized' }).waitFor();
    service.onRead = undefined;
    await giveUp.click();
    await expect.poll(() => stored(page)).toEqual([]);
    await page.getByRole('button', { name: 'Capture…' }).waitFor();
    expect(await movesOf(id)).toEqual({ trail: [], posts: 0 });
  });

  test('an operation of which the gateway may know nothing any more is not sent again', async () => {
    const id = await captured(1000);
    const { page } = await visit(`?id=${id}`);
    await page.getByRole('button', { name: 'Refund…' }).waitFor();
    const keys = watchKeys(page);
    const operation = {
      ...{ idempotencyKey: newKey(), kind: 'REFUND', transactionId: id, status: 'OPEN' },
      ...{ amount: { minorUnits: 400, currency: 'EUR', exponent: 2 }, message: '' },
      ...{ mayHaveMoved: true, advice: 'RETRY_SAME_KEY' },
      startedAt: Date.now() - 31 * 24 * 60 * 60_000,
    };
    await page.evaluate(
      (text) => {
        localStorage.setItem('tillgraph-operation:old', text);
        localStorage.setItem('tillgraph-operation:broken', '{');
      },
      JSON.stringify({ ...operation, idempotencyKey: 'old' }),
    );
    await page.reload();
    await page.getByText('It is too old to be repeated.').waitFor();
    // The page has loaded, and offers nothing else until a person has looked.
    await page.getByRole('cell', { name: 'Capture', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /…$/ }).count()).toBe(0);
    expect(keys).toEqual([]);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('button', { name: 'Refund…' }).waitFor();
    expect((await movesOf(id)).trail).toEqual(['CaptureTrailEntry']);
  });

  test('an operation that another one was ahead of is not made later', async () => {
    const id = await captured(1000);
    const { page } = await visit(`?id=${id}`);
    await page.getByRole('button', { name: 'Refund…' }).waitFor();
    service.onRead = lag(id);
    service.onWrite = loseAnswer;
    const { page: elsewhere } = await visitAlone(`?id=${id}`);
    await act(elsewhere, 'Refund', '3');
    await notice(elsewhere, 'Refund of EUR 3.00 is being checked').waitFor();
    await elsewhere.getByRole('button', { name: 'Check now' }).waitFor();
    await act(page, 'Refund', '4');
    await notice(page, 'Refund of EUR 4.00 was not made').waitFor();
    expect((await movesOf(id)).trail).toEqual(['CaptureTrailEntry', 'RefundTrailEntry']);
  });

  test('a rejected operation says why, and the next one has another key', async () => {
    const id = await given(stack).transaction(1000);
    const { page } = await visit(`?id=${id}`);
    const keys = watchKeys(page);
    await page.getByRole('button', { name: 'Void…' }).waitFor();
    const input = `{ transactionId: "${id}", amount: { minorUnits: 600, currency: "EUR" }, idempotencyKey: "${newKey()}" }`;
    await stack.ask(`mutation { captureTransaction(input: ${input}) { __typename } }`);
    await act(page, 'Void', '10');
    await notice(page, 'Void of EUR 10.00 was not made').waitFor();
    await act(page, 'Void', '4');
    await notice(page, 'Void of EUR 4.00 succeeded').waitFor();
    expect(new Set(keys).size).toBe(2);
  });

  /** The texts of the cells of a table, without its head. */
  const cells = async (page: Page, name: string) => {
    const rows = await page.getByRole('table', { name }).locator('tbody tr').all();
    return Promise.all(rows.map((row) => row.getByRole('cell').allTextContents()));
  };

  const amountText = ({ decimal, currency }: { decimal: string; currency: string }) =>
    `${currency} ${decimal.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',')}`;

  /** Continues a list or a report until it is complete. */
  async function examineAll(page: Page, name: string) {
    const part = page.locator('section', { has: page.getByRole('table', { name }) });
    const status = part.getByRole('status').first();
    await expect.poll(() => status.textContent()).toMatch(/^Incomplete: 20 examined, back to /);
    for (let examined = 40; !(await status.textContent())?.startsWith('Complete'); examined += 20) {
      await part.getByRole('button', { name: 'Examine older ones' }).click();
      await expect
        .poll(() => status.textContent())
        .toMatch(new RegExp(`^Complete|^Incomplete: ${examined} `));
    }
  }

  test('a filter finds payments and adds them up, and says what is not examined yet', async () => {
    const newest = await stack.ask(
      `query ($id: ID!) { merchant(id: $id) { transactions(
        first: 1, filter: { state: [CAPTURED], createdAt: { to: "2026-09-01T00:00:00Z" } }
      ) { edges { node { createdAt } } } } }`,
      { id: merchantId },
    );
    const [{ node: last }] = newest.data.merchant.transactions.edges;
    // In summer, Copenhagen is two hours ahead.
    const lastDay = new Date(Date.parse(last.createdAt) + 2 * 3_600_000).toISOString().slice(0, 10);
    const createdAt = { from: '2026-03-31T22:00:00Z', to: `${lastDay}T22:00:00Z` };
    const { page } = await visit(`?merchant=${merchantId}`);
    await page.getByLabel('State').selectOption('CAPTURED');
    await page.getByLabel('From').fill('2026-04-01');
    await page.getByLabel('To', { exact: true }).fill(lastDay);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.waitForURL(/state=CAPTURED/);
    await examineAll(page, 'Totals');
    await examineAll(page, 'Newest first');
    const { data } = await stack.ask(
      `query ($id: ID!, $filter: TransactionFilter!) { merchant(id: $id) {
        transactions(first: 100, filter: $filter) { edges { node { amount { decimal currency } } } }
        transactionTotals(filter: $filter) { groups { currency count
          amount { decimal currency } captured { decimal currency }
          refunded { decimal currency } pending { decimal currency } } }
      } }`,
      {
        id: merchantId,
        filter: { state: ['CAPTURED'], createdAt },
      },
    );
    const { transactions, transactionTotals } = data.merchant;
    const amounts = (await cells(page, 'Newest first')).map((row) => row.at(-1));
    expect(amounts).toEqual(
      transactions.edges.map(({ node }: { node: { amount: never } }) => amountText(node.amount)),
    );
    expect(amounts.length).toBeGreaterThan(5);
    expect((await cells(page, 'Totals')).sort()).toEqual(
      transactionTotals.groups
        // biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
        .map(({ currency, count, amount, captured, refunded, pending }: any) => [
          currency,
          String(count),
          ...[amount, captured, refunded, pending].map(amountText),
        ])
        .sort(),
    );
  });

  test('the search box finds a payment by its id, and the list leads to it', async () => {
    const id = await given(stack).successful(merchantId);
    const { page } = await visit(`?merchant=${merchantId}`);
    await page.getByLabel('Card, amount, id or reference').fill(id);
    await page.keyboard.press('Enter');
    await page.waitForURL(/text=/);
    await expect.poll(async () => (await cells(page, 'Newest first')).length).toBe(1);
    await page.getByRole('table', { name: 'Newest first' }).getByRole('link').click();
    await page.locator('dd', { hasText: id }).waitFor();
  });

  test('the export is the file that the gateway makes for the same filter', async () => {
    const { page } = await visit(`?merchant=${merchantId}&state=REFUNDED`);
    const [download, request] = await Promise.all([
      page.waitForEvent('download'),
      page.waitForRequest('**/export'),
      page.getByRole('button', { name: 'Export as CSV' }).click(),
    ]);
    const response = await fetch(`${stack.url}/export`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${stack.sandbox.demoApp.key}`,
      },
      body: request.postData(),
    });
    const text = readFileSync(await download.path(), 'utf8');
    expect(text).toBe(await response.text());
    expect(text.split('\r\n').length).toBeGreaterThan(4);
    expect(download.suggestedFilename()).toBe('payments.csv');
  });

  test('an export that breaks off saves no file', async () => {
    const { page } = await visit(`?merchant=${merchantId}`);
    service.onRead = refuse;
    await page.getByRole('button', { name: 'Export as CSV' }).click();
    await page.getByText('No file was saved.').waitFor();
  });

  test('the balance report of a month in a time zone', async () => {
    const { page } = await visit(`?merchant=${merchantId}&page=balance`);
    await page.getByLabel('Month').fill('2026-08');
    await page.getByLabel('Time zone').selectOption('Pacific/Auckland');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.waitForURL(/month=2026-08/);
    const older = page.getByRole('button', { name: 'Examine older ones' });
    while (!(await page.getByText(/^Complete/).isVisible())) {
      if (await older.isVisible()) await older.click();
    }
    const { data } = await stack.ask(
      `query ($id: ID!) { merchant(id: $id) { balanceReport(
        from: "2026-07-31T12:00:00Z", to: "2026-08-31T12:00:00Z", timeZone: "Pacific/Auckland"
      ) { opening { decimal currency } closing { decimal currency }
        days { date closing { decimal currency } } } } }`,
      { id: merchantId },
    );
    const { opening, closing, days } = data.merchant.balanceReport;
    const rows = await cells(page, 'Days in Pacific/Auckland');
    expect(rows.map((row) => [row[0], row.at(-1)])).toEqual([
      ['Opening', amountText(opening)],
      ...days.map((day: { date: string; closing: never }) => [day.date, amountText(day.closing)]),
      ['Total', amountText(closing)],
    ]);
    expect(days.length).toBeGreaterThan(2);
  });

  test('a token of one merchant that may only read shows no other merchant and no action', async () => {
    const id = await given(stack).transaction(1000);
    const { page, requests } = await visitAlone(`?id=${id}`, 'Ben');
    await page.getByRole('heading', { name: 'EUR 10.00' }).waitFor();
    expect(await page.getByRole('button', { name: /…$/ }).count()).toBe(0);
    const merchants = page.getByLabel('Merchant').getByRole('option');
    await expect.poll(() => merchants.allTextContents()).toEqual(['Nordlys Kaffee']);
    expect(await page.evaluate(() => document.cookie + Object.values(localStorage))).toBe('');
    expect(await page.content()).not.toContain(stack.sandbox.demoApp.key);
    expect(new Set(requests.map((address) => new URL(address).origin))).toEqual(
      new Set([dashboard.url]),
    );
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'For development only' }).waitFor();
  });

  describe('with a replica', () => {
    let copied: Awaited<ReturnType<typeof serveDashboard>>;
    let copying: Awaited<ReturnType<typeof startGateway>>;
    /** Between the server of the dashboard and the gateway. */
    let network: TcpProxy;

    beforeAll(async () => {
      const { usersUrl, paymentsUrl, posUrl, demoApp } = stack.sandbox;
      const replica = await openTestReplica(demoApp.key);
      copied = await serveDashboard(async (issuer) => {
        copying = await startGateway({
          auth: readGatewayEnv(issuer, demoApp.key).auth,
          services: { usersUrl, paymentsUrl, posUrl },
          ...{ replica, sync: fastSync },
        });
        network = await startTcpProxy(Number(new URL(copying.url).port));
        return `http://127.0.0.1:${network.port}`;
      });
      await replica.ready();
    });
    afterAll(async () => {
      await copied?.close();
      await network?.close();
      await copying?.close();
    });

    async function open(search: string) {
      const { page, close } = await newVisitor(browser, { timezoneId: 'Europe/Copenhagen' });
      onTestFinished(close);
      await page.goto(copied.url);
      await page.getByRole('button', { name: 'Anna' }).click();
      await page.getByText('Anna Sign out').waitFor();
      await page.goto(`${copied.url}/${search}`);
      return page;
    }

    /** Pays on the payment page, as a customer does. */
    async function pay(minorUnits: number, reference: string): Promise<void> {
      const { data } = await stack.ask(
        `query ($id: ID!, $input: PaymentLinkInput) { merchant(id: $id) { paymentLink(input: $input) } }`,
        { id: merchantId, input: { amount: { minorUnits, currency: 'EUR' }, reference } },
      );
      const fields = { number: '4100000000000000', expiry: '08/66', code: '123' };
      const body = new URLSearchParams(
        Object.entries(fields).map(([name, value]) => [`card[${name}]`, value]),
      );
      const response = await fetch(data.merchant.paymentLink, { method: 'POST', body });
      expect(response.ok).toBe(true);
    }

    test('the box finds a payment by amount, card, reference and address within a second', async () => {
      const page = await open('');
      await pay(54_321, 'order-7 lena@shop.example');
      for (const text of ['543.21', 'EUR 543.21', '0000', 'order-7', 'LENA@shop']) {
        await page.getByLabel('Find anything').fill(text);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: `Found for “${text}”` }).waitFor();
        // The copy may be a second old.
        await expect
          .poll(async () => {
            await page.reload({ waitUntil: 'networkidle' });
            return page.getByRole('row', { name: 'order-7 lena@shop.example' }).count();
          })
          .toBe(1);
      }
      await page.getByRole('table', { name: 'Payments' }).getByRole('link').first().click();
      await page.getByRole('heading', { name: 'EUR 543.21' }).waitFor();
    });

    test('the box finds merchants and user records, or says that it found nothing', async () => {
      const page = await open('?find=nordlys');
      await page.getByRole('table', { name: 'Merchants' }).getByRole('link').waitFor();
      await page.goto(`${copied.url}/?find=astrid`);
      await page.getByRole('row', { name: 'Astrid Holm' }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      await page.goto(`${copied.url}/?find=no-such-text`);
      await page.getByText('Nothing was found.').waitFor();
    });

    /** Opens a page with the payments of the merchant, once it is told what happens. */
    async function watch() {
      const page = await open(`?merchant=${merchantId}`);
      await page.clock.install();
      const watching = () =>
        page.waitForResponse((response) => {
          const { accept } = response.request().headers();
          return accept?.includes('text/event-stream') ?? false;
        });
      await Promise.all([watching(), page.reload()]);
      return { page, watching };
    }

    test('a payment appears by itself, in the list and for some seconds in a message', async () => {
      const { page } = await watch();
      await pay(7_700, 'order-live');
      const message = page.getByText('Payment created EUR 77.00');
      await message.waitFor();
      await page.getByRole('row', { name: 'order-live' }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
      await page.clock.fastForward(6_000);
      await message.waitFor({ state: 'detached' });

      // The messages stay until all are there.
      await page.clock.pauseAt(Date.now() + 10_000);
      await Promise.all(Array.from({ length: 8 }, () => pay(100, 'order-burst')));
      await page.getByText('8 payments created').waitFor();
      await page.clock.fastForward(6_000);
      await page.getByText(/payments? created/i).waitFor({ state: 'detached' });
    });

    test('a connection on which nothing arrives any more is replaced, and no payment is missed', async () => {
      const { page, watching } = await watch();
      await pay(8_700, 'order-before');
      await page.getByText('Payment created EUR 87.00').waitFor();
      const lost = new Promise<void>((resolve) => {
        network.onReceived = (chunk) => {
          if (chunk.includes('TRANSACTION_CREATED')) resolve();
          return 'silence';
        };
      });
      onTestFinished(() => {
        network.onReceived = undefined;
      });
      await pay(8_800, 'order-silent');
      await lost;
      network.onReceived = undefined;
      await Promise.all([watching(), page.clock.fastForward(30_000)]);
      await page.getByText('Payment created EUR 88.00').waitFor();
      await page.getByRole('row', { name: 'order-silent' }).waitFor();
    });

    test('payments are sorted, and counted', async () => {
      const page = await open(`?merchant=${merchantId}`);
      await page.getByLabel('Order').selectOption('Largest first');
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await page.waitForURL(/order=AMOUNT/);
      const { data } = await stack.ask(
        `query ($id: ID!) { merchant(id: $id) { transactions(first: 100) {
          edges { node { amount { minorUnits decimal currency } } } } } }`,
        { id: merchantId },
      );
      const all: { minorUnits: number }[] = data.merchant.transactions.edges.map(
        ({ node }: { node: { amount: { minorUnits: number } } }) => node.amount,
      );
      const largest = all.toSorted((one, other) => other.minorUnits - one.minorUnits);
      await page.getByRole('table', { name: `Totals of ${all.length} payments` }).waitFor();
      await expect.poll(async () => (await cells(page, 'Largest first')).length).toBe(20);
      expect((await cells(page, 'Largest first')).map((row) => row.at(-1))).toEqual(
        largest.slice(0, 20).map((amount) => amountText(amount as never)),
      );
    });

    test('the chart shows what was captured and refunded on each day', async () => {
      const page = await open(`?merchant=${merchantId}&page=balance&month=2026-08`);
      const chart = page.getByRole('img', {
        name: 'Captured (green) and refunded (red) on each day',
      });
      await chart.waitFor();
      await expect.poll(() => chart.locator('title').allTextContents()).not.toEqual([]);
      const titles = await chart.locator('title').allTextContents();
      expect(titles.join()).toMatch(/2026-08-\d\d: captured EUR [\d.,]+, refunded/);
      expect(await violations({ page } as Visitor)).toEqual([]);
    });
  });

  /** What axe-core finds on the page. */
  async function violations({ page }: Visitor) {
    // Evaluated, because the page allows no script but its own.
    await page.evaluate(axe);
    const { violations: found } = await page.evaluate<AxeResults>('axe.run()');
    return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  }

  test.each(['light', 'dark'] as const)(
    'every page is accessible with %s colours, and fits a narrow window',
    async (colorScheme) => {
      const id = await given(stack).transaction(1000);
      const visitor = await visitAlone(`?merchant=${merchantId}`, 'Anna', { colorScheme });
      const { page, errors } = visitor;
      const check = async (ready: string) => {
        await page.getByText(ready).first().waitFor();
        expect(await violations(visitor)).toEqual([]);
        await page.setViewportSize({ width: 360, height: 740 });
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
        await page.setViewportSize({ width: 1280, height: 800 });
      };
      await check('Incomplete');
      await page.goto(`${dashboard.url}/?merchant=${merchantId}&page=balance&month=2026-08`);
      await check('Opening');
      await page.goto(`${dashboard.url}/?merchant=${merchantId}&id=${id}`);
      await act(page, 'Capture', '1');
      await check('Capture of EUR 1.00 succeeded');
      await page.getByRole('button', { name: 'Void…' }).click();
      await check('at most 9.00');
      const [red = 0] = await page.evaluate(() =>
        (
          getComputedStyle(document.body.parentElement as Element).backgroundColor.match(/\d+/g) ??
          []
        ).map(Number),
      );
      expect(red > 127).toBe(colorScheme === 'light');
      await page.goto(`${dashboard.url}/issuer/sign-in`);
      await check('For development only');
      expect(errors).toEqual([]);
    },
  );
});
