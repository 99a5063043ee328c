import type { OperatorStore, OperatorView } from '../store/operator-store.ts';
import { OperatorError } from './operator-error.ts';

/** Finds an operation. Throws an {@link OperatorError} if there is none. */
export async function findView(store: OperatorStore, id: string): Promise<OperatorView> {
  const view = await store.viewOne(id);
  if (view === undefined) throw new OperatorError(`There is no operation ${id}.`);
  return view;
}
