import { randomUUID } from 'node:crypto';
import { readCredential } from '../gateway/access/credential.ts';
import { createOperatorReader } from '../gateway/domain/transaction/money/find-effect.ts';
import { createTransactionSource } from '../gateway/domain/transaction/transaction-source.ts';
import type { Operator, OperatorReader } from '../gateway/money/commands/operator.ts';
import { OperatorError } from '../gateway/money/commands/operator.ts';
import type { OperatorStore } from '../gateway/money/store/operation-store.ts';
import type { OperatorSettings } from '../gateway/settings/settings.ts';
import { createUnlimited } from '../gateway/upstream/allowance.ts';
import { createRestService } from '../gateway/upstream/rest-client.ts';

/** Options of an operator's command besides the store. */
export interface OperatorOptions extends Pick<OperatorSettings, 'limits' | 'pageMax' | 'upstream'> {
  /** Undefined if unknown. */
  readonly paymentsUrl?: string;
  /** App key for reading the payments service. Without it, decisions are not verified. */
  readonly key: string | undefined;
  /** Name of the operator's account. */
  readonly by: string;
}

/** Creates the operator for a command. `close` leaves the store open. */
export function createOperator(
  store: OperatorStore,
  { paymentsUrl: baseUrl, limits, pageMax, upstream, key, by }: OperatorOptions,
): Operator & { close(): Promise<void> } {
  const operator = { store, by, now: Date.now };
  if (key === undefined) return { ...operator, reader: undefined, close: async () => {} };
  if (baseUrl === undefined) return { ...operator, reader: noAddress, close: async () => {} };
  const service = 'payments';
  const payments = createRestService({
    service,
    baseUrl,
    limits,
    pageMax,
    connections: upstream.connections,
    needsCredential: true,
  });
  const client = payments.as({
    authorization: readCredential(`Bearer ${key}`)?.authorization,
    owner: '',
    allowance: createUnlimited(randomUUID()),
  });
  const reader: OperatorReader = createOperatorReader(
    createTransactionSource(client, () => client),
  );
  return { ...operator, reader, close: payments.close };
}

async function rejectRead(): Promise<never> {
  throw new OperatorError(
    'PAYMENTS_URL is not set, so the payments service cannot be read. Set it as for the gateway. To settle the operation without a check, add --unverified. Nothing was changed.',
  );
}

const noAddress: OperatorReader = {
  readTrail: rejectRead,
  readTransaction: rejectRead,
  findCreated: rejectRead,
};
