import { records } from './001-records.ts';
import { cardsAndOutbox } from './002-cards-and-outbox.ts';
import { control } from './003-control.ts';

/** Every migration in order, each a list of statements. A released migration never changes. */
export const migrations: readonly (readonly string[])[] = [records, cardsAndOutbox, control];
