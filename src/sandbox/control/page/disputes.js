import { byId, copyable, dateAndTime, duration, element } from './element.js';
import { bindForm } from './form.js';
import { call, onRecordsChanged, recordsChanged } from './interface.js';
import { formatMoney } from './payments.js';

/** The forms of disputes and fraud alerts. */
export function startDisputes() {
  const outcome = byId('dispute-outcome');
  const showWhen = () => {
    byId('dispute-when').hidden = outcome.value === '';
    byId('dispute-outcome-in').disabled = outcome.value === '';
  };
  outcome.addEventListener('change', showWhen);
  showWhen();
  bindForm(byId('dispute-form'), async (values) => {
    const { disputeId } = await call('POST', '/disputes', { transactionId: '', ...values });
    if (values.outcome === undefined) byId('outcome-dispute').value = disputeId;
    recordsChanged();
    return ['Opened dispute ', copyable(disputeId)];
  });
  bindForm(byId('outcome-form'), async ({ disputeId = '', outcome: decided }) => {
    const path = `/disputes/${encodeURIComponent(disputeId || '-')}/outcome`;
    await call('POST', path, { outcome: decided });
    recordsChanged();
    return decided === 'won' ? 'The merchant won.' : 'The merchant lost.';
  });
  bindForm(byId('fraud-form'), async ({ transactionId = '', reason = null }) => {
    const { fraudId } = await call('POST', '/frauds', { transactionId, reason });
    recordsChanged();
    return ['Filed fraud alert ', copyable(fraudId)];
  });
}

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
