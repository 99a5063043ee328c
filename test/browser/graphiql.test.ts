import { readFileSync } from 'node:fs';
import { Kind, parse } from 'graphql';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { readExampleOperations } from '../../src/gateway/http/pages/graphiql/graphiql.ts';
import { createControl } from '../../src/sandbox/testing/control-client.ts';
import { findChromium, type GraphiQL, openGraphiQL, startBrowser } from '../support/browser.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { fastSync, startGateway } from '../support/start-stack.ts';
import { openTestReplica } from '../support/test-replica.ts';

const executable = findChromium();
const why = executable === undefined ? ' (skipped: no Chromium was found; set CHROMIUM)' : '';
if (why !== '') console.warn(`GraphiQL in a browser${why}`);

const DEMO_KEY = 'demo-key';
/** An address where nothing listens. */
const NOWHERE = 'http://127.0.0.1:9';

const examples = readExampleOperations().map(({ group, query, variables }) => {
  const [operation] = parse(query).definitions;
  return {
    group,
    content: { query, variables },
    name: operation?.kind === Kind.OPERATION_DEFINITION ? (operation.name?.value ?? '') : '',
  };
});
const names = examples.map(({ name }) => name);
const groups = [...new Set(examples.map(({ group }) => group))];
/** The tabs that run: the first of each group, and all of them in the long tests. */
const opened = examples
  .filter(({ group }, index) => inject('scale') > 1 || group !== examples[index - 1]?.group)
  .filter(({ content }) => !content.query.includes('\nsubscription '))
  .map(({ name }) => name);

/** Starts the sandbox with its demo data, and a gateway with the demo key. */
async function startDemo() {
  const sandbox = await startTestSandbox({ demoKey: DEMO_KEY, controlPort: 0 });
  const replica = await openTestReplica(DEMO_KEY);
  const gateway = await startGateway({
    services: sandbox,
    usersAccess: [sandbox.demoApp.id],
    demoKey: DEMO_KEY,
    controlUrl: sandbox.controlUrl,
    ...{ replica, sync: fastSync },
  });
  await replica.ready();
  const control = createControl(sandbox.controlUrl ?? '');
  const close = async () => {
    await gateway.close();
    await sandbox.close();
  };
  return { url: gateway.url, control, close, inboxUrl: control.inbox('demo').url };
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
function namesOf(data: any): string[] {
  return data.merchants.edges.map(({ node }: { node: { name: string } }) => node.name);
}

/** Runs in the browser. Scroll positions are whole pixels, so a part of a pixel can be cut off. */
function areFullyVisible(tabs: readonly Element[]): boolean {
  const bar = tabs[0]?.closest('.graphiql-tabs')?.getBoundingClientRect();
  const boxes = tabs.map((tab) => tab.getBoundingClientRect());
  return !!bar && boxes.every(({ left, right }) => left > bar.left - 1 && right < bar.right + 1);
}

describe.skipIf(executable === undefined)(`GraphiQL in a browser${why}`, () => {
  let browser: Browser;
  let demo: Awaited<ReturnType<typeof startDemo>>;
  /** The page of most tests, which takes seconds to load. Those that change its tabs reopen it at their end. */
  let graphiql: GraphiQL;

  beforeAll(async () => {
    demo = await startDemo();
    browser = await startBrowser(executable);
    graphiql = await openGraphiQL(browser, demo.url);
  });

  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  /** Replaces the text of the open tab. */
  async function typeQuery(text: string) {
    const { page } = graphiql;
    await page.locator('.graphiql-query-editor textarea').focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(text);
  }

  /** What GraphiQL sends when it runs. */
  async function sentBy(run: GraphiQL['run']) {
    const sent = graphiql.page.waitForRequest((request) => request.method() === 'POST');
    await run();
    return (await sent).postDataJSON();
  }

  test('it loads, runs and shows documentation without errors and without requests to other hosts', async () => {
    await graphiql.run();
    await graphiql.page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    const documentation = graphiql.page.locator('.graphiql-doc-explorer');
    await documentation.getByText('Query', { exact: true }).click();
    await documentation.getByText('merchants', { exact: true }).waitFor();
    expect(await documentation.textContent()).toContain('All queries.');

    expect(new Set(graphiql.requests.map((address) => new URL(address).origin))).toEqual(
      new Set([demo.url]),
    );
    expect(graphiql.errors).toEqual([]);
  });

  test('its tabs are the example operations, in the order of their files', async () => {
    const { page, tabs } = graphiql;
    await expect.poll(() => tabs.allTextContents()).toEqual(names);
    const options = JSON.parse((await page.locator('#options').textContent()) ?? '{}');
    const shown = options.graphiql.defaultTabs;
    const { url } = JSON.parse(shown[names.indexOf('CreateWebhook')].variables).input;
    expect(url).toBe(demo.inboxUrl);
    const text = JSON.stringify(shown).replace(url, 'http://127.0.0.1:2226/inbox/demo');
    expect(JSON.parse(text)).toMatchObject(examples.map(({ content }) => content));
  });

  test('the first tab runs unchanged and shows the demo merchants', async () => {
    await graphiql.tabs.first().click();
    const { data, errors } = await graphiql.run();
    expect(errors).toBeUndefined();
    expect(namesOf(data)).toEqual(['Harbour Cycles', 'Havnens Bageri', 'Nordlys Kaffee']);
    await graphiql.response.getByText('"Harbour Cycles"').waitFor();
  });

  test('a click opens a tab', async () => {
    const { tabs, activeTab } = graphiql;
    const second = tabs.nth(1);
    await second.click();
    const name = await second.textContent();
    await expect.poll(() => activeTab.textContent()).toBe(name);
  });

  test('the header names the app whose key is filled in, and the key is there', async () => {
    const { page } = graphiql;
    const header = (await page.locator('header').textContent())?.replaceAll(/\s+/g, ' ');
    expect(header).toContain('The key of the sandbox’s demo app is filled in under Headers.');
    expect(header).toContain('Tillgraph sends the key only to the payments service.');
    const below = await page.locator('.graphiql-sidebar').boundingBox();
    expect(below && below.y + below.height).toBe(page.viewportSize()?.height);
    await page.getByRole('button', { name: 'Headers' }).click();
    await page.locator('.graphiql-editor').getByText(`"Bearer ${DEMO_KEY}"`).waitFor();
  });

  test('without the sandbox, the header asks for a key and none is filled in', async () => {
    const gateway = await startGateway({
      services: { usersUrl: NOWHERE, paymentsUrl: NOWHERE, posUrl: NOWHERE },
    });
    onTestFinished(() => gateway.close());
    const { page, close } = await openGraphiQL(browser, gateway.url);
    onTestFinished(() => close());
    const header = (await page.locator('header').textContent())?.replaceAll(/\s+/g, ' ');
    expect(header).toContain('Authorization: Bearer <key of your app>');
    expect(await page.content()).not.toContain(DEMO_KEY);
    expect(await page.content()).toContain('https://example.com/hook');
    await page.getByRole('button', { name: 'Headers' }).click();
    await page.locator('.graphiql-editor').getByText('"Bearer <key of your app>"').waitFor();
  });

  test('the header links to the diagram, and that links back', async () => {
    const { page, errors } = graphiql;
    const [diagram] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: 'See the schema as a diagram' }).click(),
    ]);
    onTestFinished(() => diagram.close());
    await diagram.locator('.diagram path[d]').first().waitFor({ state: 'attached' });
    await diagram.getByRole('link', { name: 'Back to GraphiQL' }).click();
    await diagram.locator('.graphiql-tab').first().waitFor();
    expect(errors).toEqual([]);
  });

  test('the header lists the groups of the examples, and a click opens the first tab of a group', async () => {
    const { page, tabs, activeTab } = graphiql;
    const navigation = page.getByRole('navigation', { name: 'Examples by group' });
    expect(await navigation.getByRole('button').allTextContents()).toEqual(groups);
    // On one line.
    const tops = () =>
      navigation
        .getByRole('button')
        .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().top));
    await expect.poll(async () => new Set(await tops()).size).toBe(1);
    const ofOpenGroup = page.locator('.graphiql-tab[data-group-open] .graphiql-tab-button');
    for (const opened of groups.toReversed()) {
      await navigation.getByRole('button', { name: opened, exact: true }).click();
      await navigation.locator('[aria-current]').getByText(opened, { exact: true }).waitFor();
      const ofGroup = examples.filter(({ group }) => group === opened).map(({ name }) => name);
      await expect.poll(() => activeTab.textContent()).toBe(ofGroup[0]);
      await expect.poll(() => ofOpenGroup.allTextContents()).toEqual(ofGroup);
      await expect.poll(() => ofOpenGroup.evaluateAll(areFullyVisible)).toBe(true);
    }
    await tabs.last().click();
    await navigation
      .locator('[aria-current]')
      .getByText(groups.at(-1) ?? '')
      .waitFor();
  });

  test('the other tabs stay in their groups when a tab is added or closed', async () => {
    const { page, activeTab, reopen } = graphiql;
    onTestFinished(() => reopen());
    const navigation = page.getByRole('navigation', { name: 'Examples by group' });
    await page.getByRole('button', { name: 'New tab' }).click();
    await navigation.locator('[aria-current]').waitFor({ state: 'detached' });

    const [alone] = groups.filter(
      (group) => examples.filter((one) => one.group === group).length === 1,
    );
    const button = navigation.getByRole('button', { name: alone ?? '', exact: true });
    await button.click();
    const closed = examples.find(({ group }) => group === alone)?.name ?? '';
    await expect.poll(() => activeTab.textContent()).toBe(closed);
    await page
      .locator('.graphiql-tab-active')
      .getByRole('button', { name: `Close ${closed}`, exact: true })
      .click();
    await expect.poll(() => button.isDisabled()).toBe(true);
    await expect.poll(() => activeTab.textContent()).not.toBe(closed);

    await navigation.getByRole('button', { name: 'Users', exact: true }).click();
    await expect.poll(() => activeTab.textContent()).toBe('Users');
  });

  test('every close button names its tab, also when the name changes', async () => {
    const { page, reopen, tabs, activeTab } = graphiql;
    onTestFinished(() => reopen());
    await tabs.first().click();
    const closeNames = () =>
      page
        .locator('.graphiql-tab-close')
        .evaluateAll((buttons) => buttons.map((button) => button.ariaLabel));
    await expect.poll(closeNames).toEqual(names.map((name) => `Close ${name}`));
    await typeQuery('query Renamed ');
    await activeTab.getByText('Renamed').waitFor();
    await expect.poll(async () => (await closeNames())[0]).toBe('Close Renamed');
  });

  test('the active tab stays visible when the window becomes narrow', async () => {
    const { page, tabs, activeTab } = graphiql;
    await tabs.nth(8).click();
    await expect.poll(() => activeTab.evaluateAll(areFullyVisible)).toBe(true);
    await page.setViewportSize({ width: 500, height: 800 });
    onTestFinished(() => page.setViewportSize({ width: 1280, height: 800 }));
    await expect.poll(() => activeTab.evaluateAll(areFullyVisible)).toBe(true);
  });

  test('a button saves the connection of the open tab', async () => {
    const { page, tabs } = graphiql;
    await tabs.getByText('Users', { exact: true }).click();
    await page.getByRole('button', { name: 'Export…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export' });
    for (const [label, ending, first] of [
      ['CSV', 'csv', /^cursor,/],
      ['Spreadsheet (XLSX)', 'xlsx', /^PK/],
      ['JSON lines', 'jsonl', /^\{"cursor":/],
    ] as const) {
      await dialog.getByRole('combobox', { name: 'Format' }).selectOption({ label });
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        dialog.getByRole('button', { name: 'Save file' }).click(),
      ]);
      expect(download.suggestedFilename()).toBe(`Users.${ending}`);
      const text = readFileSync(await download.path(), 'utf8');
      expect(text).toMatch(first);
      expect(text.trimEnd().split('\n').length).toBeGreaterThan(3);
      await dialog.getByText(`Saved Users.${ending}.`).waitFor();
    }
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'hidden' });
  });

  test('the export shows why the gateway rejects it', async () => {
    const { page, tabs, errors } = graphiql;
    await tabs.getByText('WhoAmI', { exact: true }).click();
    await page.getByRole('button', { name: 'Export…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export' });
    await dialog.getByRole('button', { name: 'Save file' }).click();
    await dialog.getByText('The query selects no connection that can be exported').waitFor();
    await dialog.getByRole('textbox', { name: 'Path' }).fill('viewer');
    await dialog.getByRole('button', { name: 'Save file' }).click();
    await dialog.getByText('`path` must lead to a connection.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    // Chromium logs the two responses with status 400.
    expect(errors.splice(0)).toHaveLength(2);
  });

  test('a second visit requests the page and the schema, no file, and keeps the compiled script', async () => {
    const { page, reload, errors } = graphiql;
    await reload();
    // The workers start last.
    const loaded = () =>
      page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .filter(({ name }) => name.includes('/graphiql/'))
          .map((entry) => (entry as PerformanceResourceTiming).transferSize),
      );
    await expect.poll(async () => (await loaded()).length).toBeGreaterThanOrEqual(8);
    expect(new Set(await loaded())).toEqual(new Set([0]));

    // It is loaded a second time when the page is shown, so that its compiled code is kept.
    const { bundle } = JSON.parse((await page.locator('#options').textContent()) ?? '{}');
    await expect.poll(() => page.locator(`script[src="${bundle}"]`).count()).toBe(2);
    // It runs only once: a second run would replace what the first one has created.
    const isKept = await page.evaluate(async (src) => {
      const first = Reflect.get(window, 'YogaGraphiQL');
      const script = document.createElement('script');
      script.src = src;
      await new Promise((resolve) => {
        script.onload = resolve;
        document.body.append(script);
      });
      return first === Reflect.get(window, 'YogaGraphiQL');
    }, bundle);
    expect(isKept).toBe(true);
    expect(errors).toEqual([]);
  });

  test('on a phone, the panes are on top of each other, and all can be used', async () => {
    const { page, run, reopen } = graphiql;
    await page.setViewportSize({ width: 390, height: 844 });
    onTestFinished(() => page.setViewportSize({ width: 1280, height: 800 }));
    await reopen();
    const { data } = await run();
    expect(namesOf(data)).toHaveLength(3);
    const boxes = await Promise.all(
      [
        '.graphiql-tabs',
        '.graphiql-query-editor',
        '.graphiql-editor-tools',
        '.graphiql-response',
      ].map((selector) => page.locator(selector).boundingBox()),
    );
    const [tabs, editor, , response] = boxes;
    for (const [index, box] of boxes.entries()) {
      const above = boxes[index - 1];
      if (above) expect(box?.y).toBeGreaterThanOrEqual(above.y + above.height - 2);
    }
    expect(tabs?.width).toBeGreaterThan(250);
    for (const box of [editor, response]) {
      expect(box?.width).toBeGreaterThan(350);
      expect(box?.height).toBeGreaterThan(200);
    }
    const text = await page.locator('.graphiql-query-editor .monaco-editor').boundingBox();
    expect(text?.height).toBeGreaterThan(200);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });

  test('a reload shows the tabs as they were left, and the browser does not store the key', async () => {
    const { page, run, reload, reopen, tabs, activeTab } = graphiql;
    onTestFinished(() => reopen());
    await page.getByRole('button', { name: `Close ${names[0]}`, exact: true }).click();
    await tabs.nth(1).click();
    await typeQuery('query Mine { __typename }');
    await activeTab.getByText('Mine').waitFor();
    const left = await tabs.allTextContents();
    // GraphiQL stores its tabs a short time after a change.
    await page.waitForFunction(() => localStorage.getItem('graphiql:tabState') !== null);
    for (let i = 0; i < 2; i++) {
      await reload();
      await expect.poll(() => tabs.allTextContents()).toEqual(left);
      await expect.poll(() => activeTab.textContent()).toBe('Mine');
    }
    // With the variables of the example that was there, and the demo key.
    const { query, variables } = await sentBy(run);
    expect(query).toContain('query Mine');
    expect(variables).toEqual(JSON.parse(examples[2]?.content.variables ?? ''));
    const navigation = page.getByRole('navigation', { name: 'Examples by group' });
    await navigation
      .locator('[aria-current]')
      .getByText(examples[2]?.group ?? '')
      .waitFor();
    const stored = () => page.evaluate(() => JSON.stringify([localStorage, sessionStorage]));
    expect(await stored()).toContain('query Mine');
    expect(await stored()).not.toContain(DEMO_KEY);
  });

  test('a reload keeps the variables of the first tab, too', async () => {
    const { page, run, reload, reopen, activeTab } = graphiql;
    onTestFinished(() => reopen());
    await page.getByRole('button', { name: `Close ${names[0]}`, exact: true }).click();
    await expect.poll(() => activeTab.textContent()).toBe(names[1]);
    await reload();
    await expect.poll(() => activeTab.textContent()).toBe(names[1]);
    const { variables } = await sentBy(run);
    expect(variables).toEqual(JSON.parse(examples[1]?.content.variables ?? ''));
    expect(variables).not.toEqual({});
  });

  test('a new visit starts with the examples', async () => {
    const { run, reload, reopen, tabs, activeTab } = graphiql;
    await tabs.nth(1).click();
    await reload();
    await reopen();
    await expect.poll(() => tabs.allTextContents()).toEqual(names);
    await expect.poll(() => activeTab.textContent()).toBe(names[0]);
    expect(namesOf((await run()).data)).toHaveLength(3);
    await reload();
    await expect.poll(() => activeTab.textContent()).toBe(names[0]);
  });

  test('the query and variables in an address are shown in a tab of their own', async () => {
    const { page, run, reload, reopen, tabs, activeTab } = graphiql;
    onTestFinished(() => reopen());
    const query = 'query Linked($id:ID!){merchant(id:$id){name}}';
    const variables = { id: 'x' };
    const search = new URLSearchParams({ query, variables: JSON.stringify(variables) });
    await reopen(`?${search}`);
    for (let i = 0; i < 2; i++) {
      await expect.poll(() => tabs.allTextContents()).toEqual([...names, 'Linked']);
      await expect.poll(() => activeTab.textContent()).toBe('Linked');
      expect(await sentBy(run)).toMatchObject({ query, variables });
      expect(new URL(page.url()).search).toBe('');
      await reload();
    }
  });

  test('a subscription shows what happens, until it is stopped', async () => {
    const { page, tabs, response, reload, errors } = graphiql;
    await tabs.nth(names.indexOf('LiveEvents')).click();
    await page.getByRole('button', { name: /^Execute query/ }).click();
    await response.getByText('"cursor"').waitFor();
    const merchantId = '6a1d3c007469000061c5ff45';
    await demo.control.pay({ merchantId, amount: 1_000, card: '4100000000000000' });
    await response.getByText('"TRANSACTION_CREATED"').waitFor();
    await page.getByRole('button', { name: /^Stop query/ }).click();
    await page.getByRole('button', { name: /^Execute query/ }).waitFor();
    expect(errors).toEqual([]);
    await reload();
  });

  // Last, because the examples change records. Other tests run what is in all other tabs.
  test(`${opened.length} tabs run when they open, and no answer has an error`, async () => {
    const { page, tabs, run, errors } = graphiql;
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.postDataJSON().operationName);
    });
    for (const name of opened) {
      await tabs.nth(names.indexOf(name)).click();
      const answer = await run();
      expect(answer.errors, name).toBeUndefined();
      expect(Object.values(answer.data), name).not.toContain(null);
      // The example that uses a key three times ends with a rejection.
      const { otherAmount: _rejected, ...data } = answer.data;
      expect(JSON.stringify(data), name).not.toMatch(/"__typename":"\w*Error"/);
    }
    expect(sent).toEqual(opened);
    expect(errors).toEqual([]);
  });
});
