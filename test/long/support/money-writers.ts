import type { GatewayProcess } from '../../money/support/gateway-process.ts';
import {
  type Movement,
  type MovementInput,
  movementInput,
  submit,
} from '../../money/support/money-client.ts';
import type { LedgerEntry, ServiceLedger } from '../../money/support/service-ledger.ts';
import type { Answer } from '../../support/ask.ts';
import { CutOffError } from '../../support/http-client.ts';

/** A transaction that several writers work on. */
export interface SharedTransaction {
  readonly id: string;
  /** The entries that it had before. */
  readonly before: readonly LedgerEntry[];
  /** The movements that are possible; a refund needs a capture. */
  readonly movements: readonly [Movement, ...Movement[]];
  /** Whether writers leave it alone: nothing is left, or an unknown outcome blocks it. */
  isDone: boolean;
}

/** One movement that a writer sends, and its outcome. */
export interface WrittenMovement {
  readonly transaction: SharedTransaction;
  readonly movement: Movement;
  readonly input: MovementInput;
  outcome?: 'SUCCEEDED' | 'UNKNOWN' | 'REJECTED' | 'GIVEN UP';
  /** How many requests got no answer, because their gateway was killed. */
  cutOff: number;
}

/** What all writers share. */
export interface WriterOptions {
  readonly ledger: ServiceLedger;
  /** An integer from 0 to below the limit. */
  readonly random: (limit: number) => number;
  /** A gateway that runs, or will run in a moment. */
  gateway(): Promise<GatewayProcess>;
  /** Called with every answer. */
  onAnswer(): void;
}

/** Writers that move money of shared transactions. */
export interface Writers {
  /** Everything they have sent. */
  readonly log: readonly WrittenMovement[];
  /** Starts this many writers; resolves when all of them have stopped. */
  start(count: number): Promise<unknown>;
  /** Lets each writer finish its movement and then stop. */
  stop(): void;
}

const TRANSACTIONS = 16;
/** After this many answers UNKNOWN a writer leaves the transaction alone. */
const UNKNOWN_ANSWERS = 3;
const afterCapture = ['refund'] as const;
const beforeCapture = ['capture', 'capture', 'void', 'refund'] as const;
const REPEAT_CODES = [
  'NOT_SENT',
  'STORE_UNAVAILABLE',
  'IDEMPOTENCY_KEY_IN_USE',
  // What an intermediary answers now, it may not answer later.
  'UNAUTHENTICATED',
  'FORBIDDEN',
];

/** Creates writers. */
export function createWriters(options: WriterOptions): Writers {
  const { random } = options;
  const log: WrittenMovement[] = [];
  const pickTransaction = shareTransactions(options);
  let isOver = false;

  async function write(): Promise<void> {
    while (!isOver) {
      const transaction = await pickTransaction();
      const { movements } = transaction;
      const movement = movements[random(movements.length)] ?? movements[0];
      const input = movementInput(transaction.id, pickAmount(random));
      const written: WrittenMovement = { transaction, movement, input, cutOff: 0 };
      log.push(written);
      await repeatUntilFinal(written, options);
    }
  }
  return {
    log,
    start: (count) => Promise.all(Array.from({ length: count }, write)),
    stop: () => {
      isOver = true;
    },
  };
}

/** Replaces a transaction as soon as it is done. */
function shareTransactions({ ledger, random }: WriterOptions): () => Promise<SharedTransaction> {
  const shared: SharedTransaction[] = [];
  return async () => {
    const place = random(TRANSACTIONS);
    const found = shared[place];
    if (found !== undefined && !found.isDone) return found;
    const isCaptured = random(3) === 0;
    const id = await ledger.createTransaction(isCaptured ? 'refund' : 'capture');
    const transaction: SharedTransaction = {
      id,
      before: await ledger.entries(id),
      movements: isCaptured ? afterCapture : beforeCapture,
      isDone: false,
    };
    shared[place] = transaction;
    return transaction;
  };
}

/** Mostly small amounts, often equal; some that fit once, and some that take everything. */
function pickAmount(random: WriterOptions['random']): number {
  const dice = random(20);
  if (dice >= 18) return 1000;
  if (dice >= 14) return 600;
  return dice % 3 === 0 ? 10 : dice % 3 === 1 ? 20 : 50;
}

/** Repeats a movement with its key until its outcome is final. */
async function repeatUntilFinal(
  written: WrittenMovement,
  { gateway, onAnswer }: WriterOptions,
): Promise<void> {
  const { movement, input } = written;
  let unknownAnswers = 0;
  while (written.outcome === undefined) {
    const { ask } = await gateway();
    const result = await submit(ask, movement, input).catch((error) => {
      if (!(error instanceof CutOffError)) throw error;
    });
    if (result === undefined) {
      written.cutOff++;
      continue;
    }
    onAnswer();
    if (result.operation?.status === 'UNKNOWN') unknownAnswers++;
    applyResult(written, result, unknownAnswers >= UNKNOWN_ANSWERS);
  }
}

function applyResult(written: WrittenMovement, result: Answer['data'], givesUp: boolean): void {
  const { transaction, movement, input } = written;
  const { code, operation } = result;
  if (operation?.status === 'SUCCEEDED') {
    written.outcome = 'SUCCEEDED';
  } else if (['AMOUNT_TOO_LARGE', 'UPSTREAM_REJECTED', 'CONFLICT'].includes(code)) {
    written.outcome = 'REJECTED';
    transaction.isDone ||= input.amount.minorUnits <= 50 && movement !== 'refund';
  } else if (operation?.status === 'NOT_APPLIED') {
    written.outcome = 'REJECTED';
  } else if (code === 'TRANSACTION_BUSY') {
    if (transaction.isDone) written.outcome = 'GIVEN UP';
  } else if (operation?.status === 'UNKNOWN') {
    if (!givesUp) return;
    written.outcome = 'UNKNOWN';
    transaction.isDone = true;
  } else if (!REPEAT_CODES.includes(code)) {
    throw new Error(`Unexpected result: ${JSON.stringify(result)}`);
  }
}
