import { accessSync, constants } from 'node:fs';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import type { Answer } from './ask.ts';

const usualPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** The browser in CHROMIUM, or the first one in the usual places. */
export function findChromium(): string | undefined {
  const { CHROMIUM } = process.env;
  return (CHROMIUM ? [CHROMIUM] : usualPaths).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * What the tests do not need. The first three start a process for each profile or page, which is
 * more than half of the CPU time of a small test. Playwright turns off the others, but the browser
 * reads only the last list.
 */
const UNUSED_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'SpareRendererForSitePerProcess',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

/** Starts a headless browser with an empty profile that sends no requests of its own. */
export function startBrowser(executablePath: string | undefined): Promise<Browser> {
  if (executablePath === undefined) throw new Error('There is no browser.');
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-features=${UNUSED_FEATURES.join(',')}`,
    ],
  });
}

/** A visitor with an empty profile, and what their browser does. */
export interface Visitor {
  readonly page: Page;
  /** Every address that was requested, except `data:` addresses. */
  readonly requests: readonly string[];
  /** Errors in the console, and uncaught errors. */
  readonly errors: string[];
  close(): Promise<void>;
}

/** GraphiQL as a visitor uses it. */
export interface GraphiQL extends Visitor {
  readonly tabs: Locator;
  readonly activeTab: Locator;
  readonly response: Locator;
  /** Clicks the button that runs the active tab, waits for the response and returns it. */
  run(): Promise<Pick<Answer, 'data' | 'errors'>>;
  reload(): Promise<void>;
  /** Opens it again, with this query in the address. */
  reopen(search?: string): Promise<void>;
}

const WAIT_MS = 120_000;

const DESKTOP = { width: 1280, height: 800 };

/** An empty page in a new profile. */
export async function newVisitor(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  context.setDefaultTimeout(WAIT_MS);
  const requests: string[] = [];
  const errors: string[] = [];
  context.on('request', (request) => {
    if (!request.url().startsWith('data:')) requests.push(request.url());
  });
  context.on('weberror', (error) => errors.push(error.error().message));
  context.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return { page: await context.newPage(), requests, errors, close: () => context.close() };
}

/** Opens GraphiQL of the gateway at `url` in a new profile. */
export async function openGraphiQL(
  browser: Browser,
  url: string,
  viewport = DESKTOP,
): Promise<GraphiQL> {
  const visitor = await newVisitor(browser, { viewport });
  const { page } = visitor;
  const response = page.locator('.graphiql-response');

  /** The response to an operation that the page sends. The page also requests the schema once. */
  async function answerTo(introspection: boolean, act: () => Promise<unknown>) {
    const [answer] = await Promise.all([
      page.waitForResponse((candidate) => {
        // What GraphiQL sends.
        const body = candidate.request().postDataJSON() as { operationName?: string } | null;
        return body !== null && (body.operationName === 'IntrospectionQuery') === introspection;
      }),
      act(),
    ]);
    return answer.json();
  }

  await answerTo(true, () => page.goto(`${url}/graphql`));
  return {
    ...visitor,
    tabs: page.locator('.graphiql-tab-button'),
    activeTab: page.locator('.graphiql-tab-active .graphiql-tab-button'),
    response,
    run: async () => {
      // The editor, or its text after a change of tabs, may appear later than the page around it.
      const lines = page.locator('.graphiql-query-editor .view-line');
      await lines.filter({ hasText: /\w/ }).first().waitFor();
      const button = page.getByRole('button', { name: /^Execute query/ });
      const answer = await answerTo(false, () => button.click());
      await response.getByText('"data"').waitFor();
      return answer;
    },
    reload: async () => {
      await answerTo(true, () => page.reload());
    },
    reopen: async (search = '') => {
      await answerTo(true, () => page.goto(`${url}/graphql${search}`));
    },
  };
}

/** Saves a screenshot of GraphiQL after its first tab has run. */
export async function takeScreenshot(browser: Browser, url: string, file: string): Promise<void> {
  const graphiql = await openGraphiQL(browser, url);
  const { page } = graphiql;
  await graphiql.run();
  // Without the highlighted button under the mouse and fading scroll bars.
  await page.mouse.move(0, 0);
  await page.evaluate(async () => {
    await document.fonts.ready;
    await Promise.all(document.getAnimations().map(({ finished }) => finished));
  });
  await page.screenshot({ path: file });
  await graphiql.close();
}
