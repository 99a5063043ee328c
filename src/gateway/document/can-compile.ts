import {
  type ArgumentNode,
  type DocumentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
import { fragmentsOf } from './fragments.ts';

/**
 * Time and memory of a plan grow with the operation after its fragments are expanded. Compiling
 * this many selections takes some tens of milliseconds, in which nobody else is answered.
 */
const MAX_SELECTIONS = 300;

/**
 * How many selections graphql-jit compiles to code that answers like graphql-js. Undefined if it
 * does not, because the operation has one of these:
 *
 * - many selections after its fragments are expanded: each level of fragments can double them
 * - `@skip` or `@include`: every use of a fragment would get the conditions of all others
 * - an alias with an underscore: two fields could get the `info` of one, and `__proto__` is lost
 * - an argument with a text of other characters than letters, digits and a few more, or with two
 *   underscores: arguments become code. The marks for dates and infinite numbers are such texts,
 *   and what follows the mark of a date would be executed
 */
export function countCompiled(
  document: DocumentNode,
  operation: OperationDefinitionNode,
): number | undefined {
  const fragments = fragmentsOf(document);
  /** Selections of each fragment, expanded. Every fragment is counted once. */
  const counted = new Map<string, number>();

  function countFragment(name: string): number {
    const known = counted.get(name);
    if (known !== undefined) return known;
    const fragment = fragments.get(name);
    const count = fragment === undefined ? 0 : countSet(fragment.selectionSet);
    counted.set(name, count);
    return count;
  }

  function countSet({ selections }: SelectionSetNode): number {
    return selections.reduce((sum, selection) => sum + countSelection(selection), 0);
  }

  function countSelection(selection: SelectionNode): number {
    if (!isPlainSelection(selection)) return Number.POSITIVE_INFINITY;
    if (selection.kind === Kind.FRAGMENT_SPREAD) return 1 + countFragment(selection.name.value);
    return selection.selectionSet === undefined ? 1 : 1 + countSet(selection.selectionSet);
  }

  const defaults = operation.variableDefinitions?.map(({ defaultValue }) => defaultValue) ?? [];
  const isPlain = defaults.every((value) => value === undefined || isPlainValue(value));
  const selections = countSet(operation.selectionSet);
  return isPlain && selections <= MAX_SELECTIONS ? selections : undefined;
}

/** Whether a selection itself may be compiled. */
function isPlainSelection(selection: SelectionNode): boolean {
  if ((selection.directives ?? []).length > 0) return false;
  if (selection.kind !== Kind.FIELD) return true;
  const { alias, arguments: given = [] } = selection;
  return (
    !alias?.value.includes('_') && given.every(({ value }: ArgumentNode) => isPlainValue(value))
  );
}

/** Texts of ids, cursors, names, dates and addresses. */
const PLAIN_TEXT = /^(?!.*__)[\w .:@+=/-]*$/;

function isPlainValue(value: ValueNode): boolean {
  switch (value.kind) {
    case Kind.STRING:
      return PLAIN_TEXT.test(value.value);
    case Kind.LIST:
      return value.values.every(isPlainValue);
    case Kind.OBJECT:
      return value.fields.every(
        ({ name, value: inner }) => !name.value.includes('__') && isPlainValue(inner),
      );
    default:
      return true;
  }
}
