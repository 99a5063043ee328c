import { readdirSync, readFileSync } from 'node:fs';
import { Kind, parse } from 'graphql';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { findChromium, openGraphiQL, startBrowser } from '../support/browser.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { startGateway } from '../support/start-stack.ts';

const executable = findChromium();
const why = executable === undefined ? ' (skipped: no Chromium was found; set CHROMIUM)' : '';
if (why !== '') console.warn(`GraphiQL in a browser${why}`);

const operations = new URL('../../schema/operations/', import.meta.url);

/** What the files of `schema/operations` are called inside, in the order of the files. */
function operationNames(): (string | undefined)[] {
  return readdirSync(operations)
    .filter((file) => file.endsWith('.graphql'))
    .sort()
    .map((file) => {
      const { definitions } = parse(readFileSync(new URL(file, operations), 'utf8'));
      const operation = definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
      return operation?.kind === Kind.OPERATION_DEFINITION ? operation.name?.value : undefined;
    });
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of any shape
function namesOf(data: any): string[] {
  return data.merchants.edges.map(({ node }: { node: { name: string } }) => node.name);
}

describe.skipIf(executable === undefined)(`GraphiQL in a browser${why}`, () => {
  const DEMO_KEY = 'demo-key';
  let browser: Browser;
  let sandbox: Sandbox;
  let gateway: Awaited<ReturnType<typeof startGateway>>;

  beforeAll(async () => {
    sandbox = await startTestSandbox({ demoKey: DEMO_KEY });
    gateway = await startGateway({
      services: sandbox,
      usersAccess: [sandbox.demoApp.id],
      demoKey: DEMO_KEY,
    });
    browser = await startBrowser(executable as string);
  });

  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
    await sandbox?.close();
  });

  async function open() {
    const graphiql = await openGraphiQL(browser, gateway.url);
    onTestFinished(graphiql.close);
    return graphiql;
  }

  test('it loads, runs and shows documentation without asking any other host, and without errors', async () => {
    const graphiql = await open();
    await graphiql.run();
    await graphiql.page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    const documentation = graphiql.page.locator('.graphiql-doc-explorer');
    await documentation.getByText('Query', { exact: true }).click();
    await documentation.getByText('merchants', { exact: true }).waitFor();
    expect(await documentation.textContent()).toContain('Everything that can be asked.');

    expect(new Set(graphiql.requests.map((address) => new URL(address).origin))).toEqual(
      new Set([gateway.url]),
    );
    expect(graphiql.errors).toEqual([]);
  });

  test('its tabs are the example operations, in the order of their files', async () => {
    const { tabs } = await open();
    expect(await tabs.allTextContents()).toEqual(operationNames());
  });

  test('the first tab runs as it is and shows the demo merchants', async () => {
    const graphiql = await open();
    const { data, errors } = await graphiql.run();
    expect(errors).toBeUndefined();
    expect(namesOf(data)).toEqual(['Harbour Cycles', 'Havnens Bageri', 'Nordlys Kaffee']);
    await graphiql.response.getByText('"Harbour Cycles"').waitFor();
  });

  test('a tab opens at a click', async () => {
    const { tabs, activeTab } = await open();
    const second = tabs.nth(1);
    await second.click();
    expect(await activeTab.textContent()).toBe(await second.textContent());
  });

  test('a reload begins with the examples and the demo key again, which the browser does not store', async () => {
    const { page, run, reload, tabs, activeTab } = await open();
    await tabs.nth(1).click();
    // GraphiQL stores its tabs a moment after a change.
    await page.waitForFunction(() => localStorage.getItem('graphiql:tabState') !== null);
    const stored = await page.evaluate(() => JSON.stringify(localStorage));
    expect(stored).not.toContain(DEMO_KEY);
    await reload();
    expect(await tabs.allTextContents()).toEqual(operationNames());
    expect(await activeTab.textContent()).toBe(operationNames()[0]);
    expect(namesOf((await run()).data)).toHaveLength(3);
  });
});
