import { byId, dateAndTime } from './element.js';
import { bindForm } from './form.js';
import { call, recordsChanged, repeat } from './interface.js';

const READ_EVERY_MS = 5_000;
const TICK_MS = 250;

let reading;

/** Shows the clock, moves it forward and stops it. */
export function startClock() {
  repeat(async () => keep(await call('GET', '/clock')), READ_EVERY_MS);
  setInterval(tick, TICK_MS);
  bindForm(byId('clock-freeze'), async () => {
    keep(await call('POST', reading?.frozen ? '/clock/resume' : '/clock/freeze', {}));
    return reading.frozen ? 'The clock is frozen.' : 'The clock is running.';
  });
  bindForm(byId('clock-advance'), (_, button) => move({ ms: Number(button.value) }));
  bindForm(byId('clock-to'), ({ to = '' }) => move({ to }));
}

/** Reads the clock again, after a reset. */
export async function readClock() {
  keep(await call('GET', '/clock'));
}

async function move(body) {
  keep(await call('POST', '/clock/advance', body));
  recordsChanged();
  return `The clock reads ${dateAndTime(new Date(reading.now))}.`;
}

function keep({ now, frozen }) {
  reading = { now: Date.parse(now), frozen, at: performance.now() };
  byId('clock-state').textContent = frozen ? 'frozen' : 'running';
  byId('clock-freeze-button').textContent = frozen ? 'Resume' : 'Freeze';
  byId('clock-chip').querySelector('.note').textContent = frozen ? 'UTC, frozen' : 'UTC';
  byId('clock-chip').classList.toggle('warning', frozen);
  tick();
}

function tick() {
  if (reading === undefined) return;
  const { now, frozen, at } = reading;
  const date = new Date(now + (frozen ? 0 : performance.now() - at));
  for (const shown of [byId('clock-now'), byId('clock-chip').querySelector('time')]) {
    const text = dateAndTime(date);
    if (shown.textContent === text) continue;
    shown.textContent = text;
    shown.dateTime = date.toISOString();
  }
}
