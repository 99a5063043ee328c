import { createOperator } from '../../../src/cli/open-operator.ts';
import { readCommand } from '../../../src/gateway/money/commands/command.ts';
import { runCommand } from '../../../src/gateway/money/commands/run-command.ts';
import type { OperatorStore } from '../../../src/gateway/money/store/operation-store.ts';
import type { Fault } from '../../support/fault-proxy.ts';
import { given } from '../../support/given.ts';
import { patientGateway } from '../../support/patience.ts';
import { controlledLimits } from './gateway-clock.ts';
import { type Movement, type MovementInput, movementInput, sendMutation } from './money-client.ts';
import type { ProxiedGateway } from './proxied-gateway.ts';

/** Runs a command over a store and returns what it prints. */
export type RunCommand = (...args: string[]) => Promise<string>;

const PAGE_MAX = 100;

/**
 * Runs the operator's commands in this process, as an operator with the name `anna`.
 *
 * @param key without it, no decision is verified
 */
export function createCommands(
  store: OperatorStore,
  paymentsUrl: string,
  key: string | undefined,
): RunCommand {
  return async (...args) => {
    const { limits } = controlledLimits;
    const { upstream } = patientGateway;
    const options = { paymentsUrl, limits, upstream, pageMax: PAGE_MAX, key, by: 'anna' };
    const operator = createOperator(store, options);
    const printed: string[] = [];
    const print = (text: string) => void printed.push(text);
    try {
      await runCommand(operator, readCommand(args), print, new AbortController().signal);
    } finally {
      await operator.close();
    }
    return printed.join('\n');
  };
}

/** A movement whose outcome the gateway does not know. */
export interface Lost {
  readonly input: MovementInput;
  /** Id of the operation. */
  readonly id: string;
}

/** Moves euro cents of a transaction with a fault, so that the outcome is unknown. */
export async function lose(
  gateway: ProxiedGateway,
  store: OperatorStore,
  fault: Fault,
  { transactionId, amount = 400, movement = 'capture' }: LostMovement = {},
): Promise<Lost> {
  const transaction = transactionId ?? (await given(gateway.direct).transaction(1000));
  gateway.proxy.onWrite = fault;
  const input = movementInput(transaction, amount);
  // The answer also has the transaction, which may not be readable at the moment.
  const { data } = await sendMutation(gateway.ask, movement, input);
  gateway.reset();
  if (data.result.code !== 'OUTCOME_UNKNOWN') throw new Error(JSON.stringify(data));
  const open = await store.view({ open: true, limit: 1_000 });
  const view = open.find(({ operation }) => operation.key === input.idempotencyKey);
  if (view === undefined) throw new Error('The operation is not open.');
  return { input, id: view.operation.id };
}

interface LostMovement {
  /** A new transaction of 1000 euro cents if left out. */
  readonly transactionId?: string;
  readonly amount?: number;
  readonly movement?: Movement;
}

/** The service applies a request; its answer is lost, and the gateway cannot read the effect. */
export function loseAnswerAndReads(gateway: ProxiedGateway): Fault {
  return async (forward, response) => {
    await forward();
    gateway.proxy.onRead = (_forward, read) => void read.destroy();
    response.destroy();
  };
}

/** The service receives a request twice, for example because an intermediary repeats it. */
export const applyTwice: Fault = async (forward, response) => {
  await forward();
  await forward();
  response.destroy();
};
