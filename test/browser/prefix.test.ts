import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { findChromium, newVisitor, openGraphiQL, startBrowser } from '../support/browser.ts';
import { reasonToSkip } from '../support/installed.ts';
import { type ReverseProxy, startNginx, startPrefixProxy } from '../support/prefix-proxy.ts';
import { type Stack, startGateway, startStack } from '../support/start-stack.ts';

const executable = findChromium();
const why = executable === undefined ? ' (skipped: no Chromium was found; set CHROMIUM)' : '';
const isLong = inject('scale') > 1;
const whyNotNow = isLong ? '' : ' (skipped: it is one of the long tests)';
const whyNoNginx = why || whyNotNow || reasonToSkip({ nginx: '-v' });
if (whyNoNginx !== '') console.warn(`Pages behind nginx${whyNoNginx}`);

for (const { name, reason, start } of [
  { name: 'a proxy', reason: why, start: startPrefixProxy },
  { name: 'nginx', reason: whyNoNginx, start: startNginx },
]) {
  describe.skipIf(reason !== '')(`pages below a path of ${name}${reason}`, () => {
    let browser: Browser;
    let stack: Stack;
    let withoutStatus: Awaited<ReturnType<typeof startGateway>>;
    let proxy: ReverseProxy;

    beforeAll(async () => {
      stack = await startStack({ controlPort: 0 });
      const { usersUrl, paymentsUrl, posUrl, demoApp } = stack.sandbox;
      const services = { usersUrl, paymentsUrl, posUrl };
      const demo = { demoKey: demoApp.key, usersAccess: [demoApp.id] };
      const gateway = await startGateway({ services, ...demo, statusPage: false });
      withoutStatus = gateway;
      proxy = await start({
        '/shop/payments/': stack.url,
        '/other/': withoutStatus.url,
      });
      browser = await startBrowser(executable);
    });

    afterAll(async () => {
      await browser?.close();
      await proxy?.close();
      await withoutStatus?.close();
      await stack?.close();
    });

    /** A visitor who must request nothing outside of the path. */
    async function visit(path: string, { url } = proxy) {
      const visitor = await newVisitor(browser);
      onTestFinished(async () => {
        await visitor.close();
        const isInside = (address: string) => `${address}/`.startsWith(`${url}${path}`);
        expect(visitor.requests.filter((address) => !isInside(address))).toEqual([]);
        expect(visitor.errors).toEqual([]);
      });
      return visitor;
    }

    test('the status page leads to GraphiQL, and this to the diagram and back', async () => {
      const { page } = await visit('/shop/payments/');
      await page.goto(`${proxy.url}/shop/payments`);
      for (const link of await page.getByRole('link').all()) {
        const address = await link.evaluate((a: HTMLAnchorElement) => a.href);
        expect((await fetch(address, { headers: { accept: 'text/html' } })).status).toBe(200);
      }
      await page.getByRole('link', { name: 'GraphiQL' }).click();
      await page.locator('.graphiql-tab').first().waitFor();
      const [diagram] = await Promise.all([
        page.waitForEvent('popup'),
        page.getByRole('link', { name: 'See the schema as a diagram' }).click(),
      ]);
      await diagram.locator('.diagram path[d]').first().waitFor({ state: 'attached' });
      await diagram.getByRole('link', { name: 'Back to GraphiQL' }).click();
      await diagram.locator('.graphiql-tab').first().waitFor();
    });

    test('GraphiQL runs, checks what is typed, and exports', async () => {
      const { page, run, tabs, requests, errors, close } = await openGraphiQL(
        browser,
        `${proxy.url}/other`,
      );
      onTestFinished(() => close());
      expect((await run()).errors).toBeUndefined();
      await tabs.getByText('Users', { exact: true }).click();
      await page.getByRole('button', { name: 'Export…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Export' });
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('button', { name: 'Save file' }).click(),
      ]);
      expect(readFileSync(await download.path(), 'utf8')).toMatch(/^cursor,/);
      // Three workers, and the script that is loaded a second time.
      const scripts = () => requests.filter((address) => address.includes('/graphiql/'));
      await expect.poll(() => new Set(scripts()).size).toBe(8);
      expect(requests.filter((one) => !one.startsWith(`${proxy.url}/other/`))).toEqual([]);
      expect(errors).toEqual([]);
    });

    test('two gateways of one origin keep their tabs apart', async () => {
      const first = await openGraphiQL(browser, `${proxy.url}/other`);
      onTestFinished(() => first.close());
      const { page, activeTab, tabs } = first;
      await tabs.nth(2).click();
      const name = await tabs.nth(2).textContent();
      await expect.poll(() => activeTab.textContent()).toBe(name);
      await page.goto(`${proxy.url}/shop/payments/graphql`);
      await tabs.nth(1).click();
      await page.goBack();
      await expect.poll(() => activeTab.textContent()).toBe(name);
    });

    test('an address with a slash too many leads to its page, with its query', async () => {
      const { page } = await visit('/other/');
      await page.goto(`${proxy.url}/other/schema/`);
      expect(page.url()).toBe(`${proxy.url}/other/schema`);
      await page.locator('.diagram path[d]').first().waitFor({ state: 'attached' });
      await page.goto(`${proxy.url}/other/graphql/?query=query Linked {__typename}`);
      await page.locator('.graphiql-tab').getByText('Linked').waitFor();
      expect(page.url()).toBe(`${proxy.url}/other/graphql`);
      // Without a status page.
      await page.goto(`${proxy.url}/other`);
      expect(page.url()).toBe(`${proxy.url}/other/graphql`);
      await page.locator('.graphiql-tab').first().waitFor();
    });

    test('the page of the control interface and the payment page work, if the proxy passes the host on', async () => {
      const { controlUrl = '', posUrl, paymentLink = '' } = stack.sandbox;
      const local = await start({ '/sandbox/': controlUrl, '/pay/': posUrl }, true);
      onTestFinished(() => local.close());
      const { page } = await visit('/sandbox/', local);
      await page.goto(`${local.url}/sandbox`);
      await page.locator('#merchant-list li').first().waitFor();
      await page.getByText(`${local.url}/sandbox`, { exact: true }).waitFor();
      const payment = await visit('/pay/', local);
      await payment.page.goto(paymentLink.replace(posUrl, `${local.url}/pay`));
      for (const [field, text] of [
        ['number', '4100000000000000'],
        ['expiry', '0866'],
        ['code', '123'],
      ] as const) {
        await payment.page.locator(`#${field}`).fill(text);
      }
      await payment.page.locator('form button').click();
      await payment.page.getByText('Transaction:').waitFor();
    });
  });
}
