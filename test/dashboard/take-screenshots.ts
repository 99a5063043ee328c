import { fileURLToPath } from 'node:url';
import { createGateway } from '../../src/gateway/gateway.ts';
import { openStore } from '../../src/gateway/money/store/open-store.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { listen } from '../../src/start/listen.ts';
import { findChromium, newVisitor, startBrowser } from '../support/browser.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { buildDashboard, readGatewayEnv, serveDashboard } from './serve-dashboard.ts';

/** `node test/dashboard/take-screenshots.ts` writes the screenshots of the dashboard's README. */
const executable = findChromium();
if (executable === undefined) throw new Error('No Chromium was found; set CHROMIUM to its path.');

const folder = fileURLToPath(new URL('../../examples/dashboard/', import.meta.url));
const sandbox = await startSandbox({});
const service = await startFaultProxy(sandbox.paymentsUrl);
const store = await openStore({ leaseMs: 30_000 });
let closeGateway = async () => {};
await buildDashboard();
const dashboard = await serveDashboard(async (issuer) => {
  const settings = readGatewayEnv(issuer, sandbox.demoApp.key);
  const gateway = createGateway({
    ...settings,
    store,
    services: { ...sandbox, paymentsUrl: service.url },
  });
  const listening = await listen(gateway, { ...settings, port: 0 });
  closeGateway = listening.close;
  return listening.url;
});
const browser = await startBrowser(executable);
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await newVisitor(browser, { colorScheme, timezoneId: 'Europe/Copenhagen' });
    await page.goto(dashboard.url);
    await page.getByRole('button', { name: /^Anna/ }).click();
    await page.getByText(/^Complete/).waitFor();
    if (colorScheme === 'dark') {
      // The request to refund is lost, so nobody knows its outcome.
      service.onWrite = (_forward, response) => void response.destroy();
      await page.getByRole('link', { name: /2026/ }).nth(1).click();
      await page.getByRole('button', { name: 'Refund…' }).click();
      await page.getByRole('textbox').fill('19.00');
      await page.getByRole('dialog').getByRole('button', { name: 'Refund' }).click();
      await page.getByRole('button', { name: 'Check now' }).waitFor();
    }
    await page.mouse.move(0, 0);
    await page.screenshot({ path: `${folder}${colorScheme}.png` });
  }
} finally {
  await browser.close();
  await dashboard.close();
  await closeGateway();
  await service.close();
  await sandbox.close();
}
