/**
 * A gateway that gets load all the time, and a server beside it that turns telemetry on and off, so
 * that a benchmark can compare both in one process. `GET /` answers with the endpoint.
 * `POST /measure?ms=…&seconds=…` measures turns of so many milliseconds for so many seconds, and
 * answers with their blocks.
 */
import { channel } from 'node:diagnostics_channel';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestEnds, requestStarts } from '../../src/gateway/channels.ts';
import { createEpochs } from '../../src/gateway/epochs.ts';
import { listen } from '../../src/gateway/listen.ts';
import { startTelemetry, type Telemetry } from '../../src/gateway/observe/telemetry.ts';
import { openStore } from '../../src/gateway/operation/store/open-store.ts';
import { createGateway } from '../../src/gateway/server.ts';
import { readGatewaySettings } from '../../src/gateway/settings.ts';
import { announce } from '../services/announce.ts';
import { measureBlock, type Turn } from './block.ts';
import { keepChannelsSteady } from './steady-channels.ts';

keepChannelsSteady();
const settings = readGatewaySettings(process.env);
const { services } = settings;
if (services === undefined) throw new Error('No services.');
const store = await openStore(settings.money);
const epochs = createEpochs(settings.coalesce);
const gateway = createGateway({ ...settings, store, epochs, services });
/** False for the row "nothing", which shows the noise. */
const wantsTelemetry =
  settings.operations.port !== undefined || settings.otlp.endpoint !== undefined;
let answered = 0;
channel('http.server.response.finish').subscribe(() => {
  answered++;
});
const { url } = await listen(gateway, settings);

/** Telemetry that fails would look cheap. */
function fail(problem: unknown): void {
  console.error(problem);
  process.exit(1);
}

async function turnOn(): Promise<Telemetry> {
  const telemetry = await startTelemetry({
    ...settings,
    gateway: gateway.state,
    countOpenOperations: store.countOpen,
    version: 'bench',
    report: fail,
    onBug: fail,
  });
  if (isListened() !== wantsTelemetry) fail('Telemetry that was turned on does not listen.');
  return telemetry;
}

function isListened(): boolean {
  return requestStarts.hasSubscribers || requestEnds.ofAll.hasSubscribers;
}

/** Starting telemetry does not count. Stopping it does, because it sends what is left. */
async function measureTurn(isOn: boolean, ms: number): Promise<Turn> {
  if (isListened()) fail('Telemetry that was turned off listens.');
  const telemetry = isOn ? await turnOn() : undefined;
  const before = { cpuMicros: cpuMicros(), answered };
  await sleep(ms);
  const covered = answered - before.answered;
  if (covered === 0) fail('There was a turn without requests.');
  await telemetry?.close();
  const [cpu, requests] = [cpuMicros() - before.cpuMicros, answered - before.answered];
  return { cpuMicros: cpu, requests, covered };
}

/** CPU time of the process and its threads. */
function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

announce(
  createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/measure') {
      const ms = Number(searchParams.get('ms'));
      const first = answered;
      while (answered === first) await sleep(1);
      const end = performance.now() + Number(searchParams.get('seconds')) * 1_000;
      const blocks = [];
      while (performance.now() < end)
        blocks.push(await measureBlock((isOn) => measureTurn(isOn, ms)));
      response.end(JSON.stringify(blocks));
    } else {
      response.end(`${url}/graphql`);
    }
  }),
);
