import { rest } from '../support/rest.ts';
import { EUR_MERCHANT, type Subject } from './subject.ts';

/** Creates an app with access to a demo merchant. */
export async function newCaller({ payments }: Subject) {
  const { app } = (await rest(payments.url).post('/apps', { name: 'Partner' })).body;
  await payments.post(`/merchants/${EUR_MERCHANT}/apps`, { appId: app.id });
  return {
    id: app.id as string,
    key: app.key as string,
    payments: rest(payments.url, app.key),
  };
}
