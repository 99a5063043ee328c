import type { Database } from '../../../database/database.ts';
import { createFeed } from '../../events/feed.ts';
import { createWebhookStore } from '../../webhooks/webhook-store.ts';
import { createAnswers } from './answers.ts';
import { createCalls } from './calls.ts';
import { type Changes, change } from './changes.ts';
import { createDue } from './due.ts';
import { createMeasures } from './measures.ts';
import { createMerchants } from './merchants.ts';
import { createPlaces } from './places.ts';
import { createTotals } from './totals.ts';
import { type Claimed, createTurns } from './turns.ts';

/** The replica in PostgreSQL or PGlite; the statements are the same. */
export function createReplicaStore(database: Database) {
  return {
    ...createMerchants(database),
    ...createTurns(database),
    ...createCalls(database),
    ...createPlaces(database),
    ...createDue(database),
    ...createAnswers(database),
    ...createTotals(database),
    ...createMeasures(database),
    ...createFeed(database),
    webhooks: createWebhookStore(database),
    change: <T>(claimed: Claimed, work: (tx: Changes) => Promise<T>) =>
      change(database, claimed, work),
    close: () => database.close(),
  };
}

/** The store that {@link createReplicaStore} returns. */
export type ReplicaStore = ReturnType<typeof createReplicaStore>;
