import { recordsChanged } from './changes.js';
import { copyable } from './copy.js';
import { byId } from './element.js';
import { bindForm } from './form.js';
import { call } from './interface.js';

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
