import { expect } from 'vitest';
import type { Answer } from '../../support/ask.ts';
import { rest } from '../../support/rest.ts';
import type { GatewayGroup } from './gateway-group.ts';
import {
  findOperation,
  type Movement,
  type MovementInput,
  movementInput,
  submit,
} from './money-client.ts';
import { repeatUntilSettled } from './repeat-until-settled.ts';
import { type LedgerEntry, toRawId } from './service-ledger.ts';

const CALLERS = 20;
const OPERATIONS_EACH = 3;
const TRANSACTIONS = 5;

/** One operation of a caller. All amounts differ, so that each entry shows whose it is. */
interface MixedOperation {
  readonly movement: Movement;
  readonly input: MovementInput;
}

const mix = ['capture', 'capture', 'refund', 'void'] as const;

/**
 * Lets 20 callers send captures, refunds and voids of five transactions concurrently, while
 * another client captures without a gateway. Fails if an operation and the service's ledger
 * differ.
 */
export async function performMixedOperations(group: GatewayGroup): Promise<void> {
  const ids = await Promise.all(
    Array.from({ length: TRANSACTIONS }, () => group.ledger.createTransaction('capture')),
  );
  const operations = createOperations(ids);
  const [byAnother, ...byCallers] = await Promise.all([
    captureWithoutGateway(group, ids),
    ...Array.from({ length: CALLERS }, (_, caller) =>
      sendAll(
        group,
        caller,
        operations.slice(caller * OPERATIONS_EACH, (caller + 1) * OPERATIONS_EACH),
      ),
    ),
  ]);

  const expected: LedgerEntry[] = byAnother.map((amount) => ({ kind: 'capture', amount }));
  let rejected = 0;
  for (const { movement, input, result } of byCallers.flat()) {
    const operation = await findOperation(
      group.askAs(0),
      group.ledger.merchantId,
      input.idempotencyKey,
    );
    if (result.__typename.endsWith('Success')) {
      expect(operation).toMatchObject({ status: 'SUCCEEDED', evidence: 'ANSWERED' });
      expect(result.trailEntry.amount.minorUnits).toBe(input.amount.minorUnits);
      expected.push({ kind: movement, amount: input.amount.minorUnits });
    } else {
      expect(['AMOUNT_TOO_LARGE', 'CONFLICT', 'UPSTREAM_REJECTED']).toContain(result.code);
      expect([undefined, 'REJECTED']).toContain(operation?.status);
      rejected++;
    }
  }
  const entries = await Promise.all(ids.map((id) => group.ledger.entries(id)));
  const byAmount = (a: LedgerEntry, b: LedgerEntry) => a.amount - b.amount;
  expect(entries.flat().sort(byAmount)).toEqual(expected.sort(byAmount));
  // The amounts are such that in every order some operations fit and others do not.
  expect(rejected).toBeGreaterThan(5);
  expect(operations.length - rejected).toBeGreaterThan(5);
}

function createOperations(ids: readonly string[]): MixedOperation[] {
  return Array.from({ length: CALLERS * OPERATIONS_EACH }, (_, index) => ({
    movement: mix[(index * 7) % mix.length] ?? 'capture',
    input: movementInput(ids[(index * 3) % ids.length] ?? '', 100 + index * 3),
  }));
}

async function sendAll(
  group: GatewayGroup,
  caller: number,
  operations: readonly MixedOperation[],
): Promise<(MixedOperation & { readonly result: Answer['data'] })[]> {
  const sent = [];
  for (const operation of operations) {
    const { movement, input } = operation;
    const send = () => submit(group.askAs(caller), movement, input);
    const { last: result } = await repeatUntilSettled(send);
    sent.push({ ...operation, result });
  }
  return sent;
}

/** Returns the amounts that were captured. */
async function captureWithoutGateway(
  { sandbox }: GatewayGroup,
  ids: readonly string[],
): Promise<number[]> {
  const payments = rest(sandbox.paymentsUrl, sandbox.demoApp.key);
  const captured: number[] = [];
  for (let amount = 1; amount <= 4 * ids.length; amount++) {
    const id = toRawId(ids[amount % ids.length] ?? '');
    const { status } = await payments.post(`/transactions/${id}/captures`, { amount });
    if (status === 201) captured.push(amount);
  }
  return captured;
}
