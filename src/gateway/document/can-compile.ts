import {
  type ArgumentNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';

/** Compiling takes a time that grows with the operation after its fragments are expanded. */
const MAX_SELECTIONS = 2_000;

/**
 * Whether graphql-jit compiles an operation to code that answers like graphql-js. It does not if
 * the operation has one of these:
 *
 * - many selections after its fragments are expanded: each level of fragments can double them
 * - `@skip` or `@include`: every use of a fragment would get the conditions of all others
 * - an alias with an underscore: two fields could get the `info` of one, and `__proto__` is lost
 * - an argument with a text of other characters than letters, digits and a few more, or with two
 *   underscores: arguments become code. The marks for dates and infinite numbers are such texts,
 *   and what follows the mark of a date would be executed
 */
export function canCompile(document: DocumentNode, operation: OperationDefinitionNode): boolean {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) {
      fragments.set(definition.name.value, definition);
    }
  }
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
    if (!isPlain(selection)) return Number.POSITIVE_INFINITY;
    if (selection.kind === Kind.FRAGMENT_SPREAD) return 1 + countFragment(selection.name.value);
    return selection.selectionSet === undefined ? 1 : 1 + countSet(selection.selectionSet);
  }

  const defaults = operation.variableDefinitions?.map(({ defaultValue }) => defaultValue) ?? [];
  return (
    defaults.every((value) => value === undefined || isPlainValue(value)) &&
    countSet(operation.selectionSet) <= MAX_SELECTIONS
  );
}

/** Whether a selection itself may be compiled. */
function isPlain(selection: SelectionNode): boolean {
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
