import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findChromium, newVisitor, startBrowser, type Visitor } from '../support/browser.ts';
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
  let diagram: Visitor;

  beforeAll(async () => {
    gateway = await startGateway({
      services: { usersUrl: NOWHERE, paymentsUrl: NOWHERE, posUrl: NOWHERE },
    });
    browser = await startBrowser(executable);
    diagram = await newVisitor(browser);
    await diagram.page.goto(`${gateway.url}/schema`);
    await diagram.page.locator('.diagram path[d]').first().waitFor({ state: 'attached' });
  });

  afterAll(async () => {
    await browser?.close();
    await gateway?.close();
  });

  test('at first it shows the types of the domain, and no other', async () => {
    const { page, requests, errors } = diagram;
    const shown = await page
      .getByRole('article')
      .evaluateAll((cards) => cards.filter((card) => card.checkVisibility()).map(({ id }) => id));
    expect(shown.toSorted()).toEqual([
      ...['App', 'AvailableAction', 'Bank', 'Card', 'Company', 'Dispute', 'Event', 'FraudAlert'],
      ...['Line'],
      ...['Merchant', 'MerchantMember', 'MerchantReplica', 'MoneyOperation', 'PaymentCard'],
      ...['SearchResults', 'TrailEntry', 'Transaction', 'User', 'WebhookDelivery'],
      ...['WebhookEndpoint'],
    ]);
    expect(new Set(requests.map((address) => new URL(address).origin))).toEqual(
      new Set([gateway.url]),
    );
    expect(errors).toEqual([]);
  });

  test('its text can be read without zooming, and fits its cards', async () => {
    const { page } = diagram;
    const sizes = await page.locator('.diagram :is(h2, p, li, summary)').evaluateAll((elements) =>
      elements
        .filter((one) => one.checkVisibility())
        .map((one) => ({
          size: Number.parseFloat(getComputedStyle(one).fontSize),
          isCut: one.scrollWidth > one.clientWidth,
        })),
    );
    expect(sizes.length).toBeGreaterThan(50);
    expect(sizes.filter(({ size, isCut }) => size < 12 || isCut)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(1280);
  });

  test('an arrow leads from each field to its type, and ends at its name', async () => {
    const { page } = diagram;
    const { rows, ends } = await page.evaluate(() => {
      const origin = document.querySelector('.diagram')?.getBoundingClientRect();
      const rows = [...document.querySelectorAll<HTMLElement>('.diagram [data-arrow]')];
      const paths = [...document.querySelectorAll('.diagram g path')];
      const ends = paths.map((path, index) => {
        const target = document.querySelector(rows[index]?.querySelector('a')?.hash ?? '');
        const name = target?.querySelector('h2')?.getBoundingClientRect();
        const y = Number(path.getAttribute('d')?.split(' ').at(-1)) + (origin?.top ?? 0);
        return name !== undefined && y > name.top && y < name.bottom;
      });
      return { rows: rows.length, ends };
    });
    expect(rows).toBeGreaterThan(15);
    expect(ends).toEqual(Array(rows).fill(true));
  });

  test('the arrows of a type are highlighted, and move when it is unfolded', async () => {
    const { page } = diagram;
    const active = page.locator('.diagram path.active');
    await page.locator('#Transaction h2').hover();
    await expect.poll(() => active.count()).toBeGreaterThan(5);
    expect(
      await active.evaluateAll((paths) =>
        paths.every((path) => path.getAttribute('data-of')?.split(' ').includes('Transaction')),
      ),
    ).toBe(true);

    const arrowsOf = () =>
      page.locator('.diagram g path').evaluateAll((all) => all.map((one) => one.getAttribute('d')));
    const before = await arrowsOf();
    await page
      .locator('#Merchant')
      .getByText(/^All \d+ fields/)
      .click();
    await page.locator('#Merchant').getByText('publicKey').waitFor();
    await expect.poll(arrowsOf).not.toEqual(before);
    await page
      .locator('#Merchant')
      .getByText(/^All \d+ fields/)
      .click();
    await expect.poll(arrowsOf).toEqual(before);
  });

  test('a link to a folded type unfolds its group', async () => {
    const { page } = diagram;
    await page.getByText('Queries, mutations and subscriptions').click();
    await page.locator('#Mutation').getByText('CaptureTransactionInput').click();
    await page.locator('#CaptureTransactionInput').getByText('idempotencyKey').waitFor();
  });

  test('on a phone, the types are below each other, and merchants are first', async () => {
    const phone = await newVisitor(browser, { viewport: { width: 390, height: 844 } });
    onTestFinished(phone.close);
    await phone.page.goto(`${gateway.url}/schema`);
    const cards = await phone.page
      .locator('.diagram article')
      .evaluateAll((all) =>
        all.map((card) => ({ id: card.id, ...card.getBoundingClientRect().toJSON() })),
      );
    const sorted = cards.toSorted((one, other) => one.top - other.top);
    expect(sorted[0].id).toBe('Merchant');
    for (const [index, card] of sorted.entries()) {
      expect(card.width).toBeGreaterThan(350);
      if (index > 0) expect(card.top).toBeGreaterThanOrEqual(sorted[index - 1].bottom);
    }
    expect(await phone.page.locator('.diagram g path').count()).toBe(0);
    expect(await phone.page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  });
});
