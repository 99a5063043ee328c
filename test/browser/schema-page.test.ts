import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  findChromium,
  newVisitor,
  openGraphiQL,
  startBrowser,
  type Visitor,
} from '../support/browser.ts';
import { startGateway } from '../support/start-stack.ts';

const executable = findChromium();
const why = executable === undefined ? ' (skipped: no Chromium was found; set CHROMIUM)' : '';
if (why !== '') console.warn(`The schema's diagram in a browser${why}`);

/** An address where nothing listens. The diagram needs no service and no key. */
const NOWHERE = 'http://127.0.0.1:9';

describe.skipIf(executable === undefined)(`the schema's diagram in a browser${why}`, () => {
  let browser: Browser;
  let gateway: Awaited<ReturnType<typeof startGateway>>;
  /** The page of all tests, which takes seconds to load. */
  let diagram: Visitor & { readonly titles: Locator };

  beforeAll(async () => {
    gateway = await startGateway({
      services: { usersUrl: NOWHERE, paymentsUrl: NOWHERE, posUrl: NOWHERE },
    });
    browser = await startBrowser(executable);
    const visitor = await newVisitor(browser);
    await visitor.page.goto(`${gateway.url}/schema`);
    const titles = visitor.page.locator('svg g.node .type-title text');
    await titles.first().waitFor();
    diagram = { ...visitor, titles };
  });

  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  test('it shows the types without errors and without requests to other hosts', async () => {
    const { titles, page, requests, errors } = diagram;
    const types = await titles.allTextContents();
    expect(types).toEqual(
      expect.arrayContaining(['Query', 'Merchant', 'Transaction', 'Dispute', 'User', 'Money']),
    );
    expect(await page.locator('svg g.edge').count()).toBeGreaterThan(types.length);
    expect(new Set(requests.map((address) => new URL(address).origin))).toEqual(
      new Set([gateway.url]),
    );
    expect(errors).toEqual([]);
  });

  test('a click on a type shows its fields', async () => {
    const { titles, page } = diagram;
    await titles.getByText('Merchant', { exact: true }).click();
    await page.locator('.doc-panel').getByText('publicKey').waitFor();
  });

  test('mutations are shown when Mutation is selected', async () => {
    const { titles, page } = diagram;
    await page.getByRole('combobox').click();
    await page.getByRole('option', { name: 'Mutation', exact: true }).click();
    await titles.getByText('CaptureTransactionSuccess').waitFor();
  });

  test('connections and edges are hidden until they are selected', async () => {
    const { titles, page } = diagram;
    expect((await titles.allTextContents()).join()).not.toMatch(/Connection|Edge|PageInfo/);
    await page.getByRole('checkbox', { name: 'Skip Relay' }).uncheck();
    await titles.getByText('TransactionConnection').waitFor();
  });

  test('GraphiQL links to it, and it links back', async () => {
    const graphiql = await openGraphiQL(browser, gateway.url);
    onTestFinished(graphiql.close);
    const [opened] = await Promise.all([
      graphiql.page.waitForEvent('popup'),
      graphiql.page.getByRole('link', { name: 'See the schema as a diagram' }).click(),
    ]);
    await opened.locator('svg g.node').first().waitFor();
    await opened.getByRole('link', { name: 'Back to GraphiQL' }).click();
    await opened.locator('.graphiql-tab').first().waitFor();
    expect(graphiql.errors).toEqual([]);
  });
});
