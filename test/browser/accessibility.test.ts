import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readExampleOperations } from '../../src/gateway/http/pages/graphiql/graphiql.ts';
import { findChromium, startBrowser } from '../support/browser.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const executable = findChromium();
const why = executable === undefined ? ' (skipped: no Chromium was found; set CHROMIUM)' : '';
if (why !== '') console.warn(`The accessibility of the pages${why}`);

const require = createRequire(import.meta.url);
const WAIT_MS = 120_000;

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe finds in GraphiQL itself, which we cannot change: in each tab, the element with the
 * role "tab" contains two buttons.
 */
const OF_GRAPHIQL: Readonly<Record<string, number>> = {
  'nested-interactive': readExampleOperations().length,
};

/** Both colour schemes and both layouts. */
const views = [
  ['light', { width: 1280, height: 800 }],
  ['dark', { width: 390, height: 844 }],
] as const;

/** Brings a page into the state to examine, and returns the part to examine. */
type Open = (page: Page) => Promise<string>;

describe.skipIf(executable === undefined)(`the accessibility of the pages${why}`, () => {
  let stack: Stack;
  let browser: Browser;
  let context: BrowserContext;

  beforeAll(async () => {
    stack = await startStack();
    browser = await startBrowser(executable);
    context = await browser.newContext();
    context.setDefaultTimeout(WAIT_MS);
  });

  afterAll(async () => {
    await browser?.close();
    await stack?.close();
  });

  /** Where each rule that finds something finds it, at most, after each step. */
  async function findings(url: string, ...steps: readonly Open[]) {
    const found = new Map<string, string[]>();
    const page = await context.newPage();
    onTestFinished(() => page.close());
    for (const [colorScheme, viewport] of views) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      await page.goto(url);
      for (const open of steps) {
        for (const [rule, targets] of await examine(page, await open(page))) {
          if (targets.length > (found.get(rule)?.length ?? 0)) found.set(rule, targets);
        }
      }
    }
    return Object.fromEntries(found);
  }

  async function examine(page: Page, part: string): Promise<[string, string[]][]> {
    await page.evaluate(axe);
    const violations = await page.evaluate(async (selector) => {
      // biome-ignore lint/suspicious/noExplicitAny: axe-core adds itself to the window
      const { violations } = await (window as any).axe.run(selector, {
        resultTypes: ['violations'],
      });
      return violations as { id: string; nodes: { target: string[] }[] }[];
    }, part);
    return violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target.join(' '))]);
  }

  test('GraphiQL has its own findings, no more of them, and no others; its export has none', async () => {
    const shown = async (page: Page) => {
      await page.locator('.graphiql-query-editor .mtk8').first().waitFor();
      await page.locator('.graphiql-tab-close').nth(18).waitFor({ state: 'attached' });
      return 'html';
    };
    const exporting = async (page: Page) => {
      await page.getByRole('button', { name: 'Export…' }).click();
      return '#export';
    };
    const found = await findings(`${stack.url}/graphql`, shown, exporting);
    for (const [rule, targets] of Object.entries(found)) {
      expect(targets.length, `${rule}: ${targets}`).toBeLessThanOrEqual(OF_GRAPHIQL[rule] ?? 0);
    }
  });

  test('the diagram has no findings, with every type and field unfolded', async () => {
    const found = await findings(`${stack.url}/schema`, async (page) => {
      await page.locator('details').evaluateAll((all) => {
        for (const one of all as HTMLDetailsElement[]) one.open = true;
      });
      return 'html';
    });
    expect(found).toEqual({});
  });

  test('the payment page has no findings, with test cards, with errors and paid', async () => {
    const { data } = await stack.ask('{ merchants { edges { node { publicKey } } } }');
    const { publicKey: key } = data.merchants.edges[0].node;
    const query = new URLSearchParams({
      ...{ key, test: '1', currency: 'EUR', value: '12.50', text: 'Coffee' },
    });
    const empty = async (page: Page) => {
      await page.getByText('Test cards', { exact: true }).click();
      await page.getByText('4100 0000 0000 0120').waitFor();
      return 'html';
    };
    const wrong = async (page: Page) => {
      await page.getByRole('button', { name: 'Pay', exact: true }).click();
      await page.getByRole('alert').waitFor();
      return 'html';
    };
    const paid = async (page: Page) => {
      await page.getByRole('textbox', { name: 'Card number' }).fill('4100 0000 0000 0000');
      await page.getByRole('textbox', { name: 'Expiry date' }).fill('0866');
      await page.getByRole('textbox', { name: 'Security code' }).fill('123');
      await page.getByRole('button', { name: 'Pay', exact: true }).click();
      await page.getByRole('heading', { name: 'Thank you' }).waitFor();
      return 'html';
    };
    const url = `${stack.sandbox.posUrl}/?${query}`;
    expect(await findings(url, empty, wrong, paid)).toEqual({});
  });
});
