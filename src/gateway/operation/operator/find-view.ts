import type { OperatorStore, OperatorView } from '../store/operation-store.ts';
import { OperatorError } from './operator-error.ts';

const FULL_ID = 36;

/**
 * Finds an operation by its id or the beginning of it. Throws an {@link OperatorError} unless
 * there is exactly one.
 */
export async function findView(store: OperatorStore, id: string): Promise<OperatorView> {
  const [view, another] =
    id.length === FULL_ID
      ? [await store.viewOne(id)]
      : await store.view({ limit: 2, idPrefix: id });
  if (view === undefined) throw new OperatorError(`There is no operation ${id}.`);
  if (another === undefined) return view;
  throw new OperatorError(`Several operations begin with ${id}. Give more of the id.`);
}

/** The id of an operation, which may have been removed, by its id or the beginning of it. */
export async function findId(store: OperatorStore, id: string): Promise<string> {
  return id.length === FULL_ID ? id : (await findView(store, id)).operation.id;
}
