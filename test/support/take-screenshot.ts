import { fileURLToPath } from 'node:url';
import { createGateway } from '../../src/gateway/gateway.ts';
import { openStore } from '../../src/gateway/money/store/open-store.ts';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { listen } from '../../src/start/listen.ts';
import { findChromium, startBrowser, takeScreenshot } from './browser.ts';

/** `node test/support/take-screenshot.ts` writes docs/graphiql.png. The data is the same every time. */
const executable = findChromium();
if (executable === undefined) throw new Error('No Chromium was found; set CHROMIUM to its path.');

const demoKey = 'demo-key';
const sandbox = await startSandbox({ demoKey });
const store = await openStore({ leaseMs: 30_000 });
const settings = readGatewaySettings({});
const gateway = createGateway({
  ...settings,
  store,
  services: sandbox,
  usersAccess: [sandbox.demoApp.id],
  demoKey,
});
const { url, close } = await listen(gateway, { ...settings, port: 0 });
const browser = await startBrowser(executable);
try {
  const file = fileURLToPath(new URL('../../docs/graphiql.png', import.meta.url));
  await takeScreenshot(browser, url, file);
  console.log(`Wrote ${file}`);
} finally {
  await browser.close();
  await close();
  await sandbox.close();
}
