/**
 * A gateway without telemetry, and a server that starts and stops telemetry beside it, so that a
 * benchmark can compare both in one process. `POST /on` and `POST /off` answer when that is done,
 * and `GET /` with the endpoint. Without telemetry it can be slower than a gateway that never had
 * any, because V8 has compiled it for both. With telemetry, too, because listeners and series are
 * new in each turn.
 */
import { createServer } from 'node:http';
import { createEpochs } from '../../src/gateway/epochs.ts';
import { listen } from '../../src/gateway/listen.ts';
import { startTelemetry, type Telemetry } from '../../src/gateway/observe/telemetry.ts';
import { openStore } from '../../src/gateway/operation/store/open-store.ts';
import { createGateway } from '../../src/gateway/server.ts';
import { readGatewaySettings } from '../../src/gateway/settings.ts';
import { announce } from '../services/announce.ts';

const settings = readGatewaySettings(process.env);
const { services } = settings;
if (services === undefined) throw new Error('No services.');
const store = await openStore(settings.money);
const epochs = createEpochs(settings.coalesce);
const gateway = createGateway({ ...settings, store, epochs, services });
const { url } = await listen(gateway, settings);

let telemetry: Telemetry | undefined;

/** Telemetry that fails would look cheap. */
function fail(problem: unknown): void {
  console.error(problem);
  process.exit(1);
}

async function turnOn(): Promise<void> {
  telemetry = await startTelemetry({
    ...settings,
    gateway: gateway.state,
    countOpenOperations: store.countOpen,
    version: 'bench',
    report: fail,
    onBug: fail,
  });
}

/** Sends what is left, too. */
async function turnOff(): Promise<void> {
  await telemetry?.close();
  telemetry = undefined;
}

announce(
  createServer(async (request, response) => {
    if (request.url === '/on') await turnOn();
    if (request.url === '/off') await turnOff();
    response.end(`${url}/graphql`);
  }),
);
