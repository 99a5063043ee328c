import { onRecordsChanged, recordsChanged } from './changes.js';
import { copyable } from './copy.js';
import { byId, element } from './element.js';
import { bindForm } from './form.js';
import { call } from './interface.js';
import { formatMoney } from './money.js';
import { dateAndTime, duration } from './time.js';

/** The forms of payouts and of their schedule. */
export function startPayouts() {
  bindForm(byId('payout-form'), async ({ merchantId = '', ...values }) => {
    const body = { merchantId, ...values };
    const { lineId, amount, currency } = await call('POST', '/payouts', body);
    recordsChanged();
    return [`Paid out ${await formatMoney(amount, currency)}. Line `, copyable(lineId)];
  });
  bindForm(byId('schedule-form'), async ({ everyMs }) => {
    const body = { everyMs: everyMs === undefined ? null : Number(everyMs) };
    showSchedule(await call('PUT', '/payout-schedule', body));
    return 'Saved.';
  });
  let shown = '';
  onRecordsChanged(async () => {
    const schedule = await call('GET', '/payout-schedule').catch(() => undefined);
    // What the visitor has chosen stays until the schedule changes.
    if (schedule === undefined || JSON.stringify(schedule) === shown) return;
    shown = JSON.stringify(schedule);
    showSchedule(schedule);
  });
}

function showSchedule({ everyMs, next }) {
  byId('schedule-text').textContent =
    everyMs === null
      ? 'Merchants are paid out on request only.'
      : `Merchants with a positive balance are paid out every ${duration(everyMs)}, next at ${dateAndTime(new Date(next))} UTC of the clock.`;
  const select = byId('schedule-every');
  const value = String(everyMs ?? '');
  if (![...select.options].some((option) => option.value === value)) {
    select.append(element('option', { value }, `Every ${duration(everyMs)}`));
  }
  select.value = value;
}
