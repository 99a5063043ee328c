import {
  type DocumentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { fragmentsOf } from './complexity.ts';

/** The size of an operation, with fragments expanded. */
export interface Measures {
  /** Levels of fields. */
  readonly depth: number;
  readonly aliases: number;
  readonly directives: number;
  /** Fields of the outermost level. */
  readonly rootFields: number;
  /** Fields of the outermost level that move money. */
  readonly moneyFields: number;
}

const NOTHING: Measures = { depth: 0, aliases: 0, directives: 0, rootFields: 0, moneyFields: 0 };

/**
 * Measures each operation of a document. Every fragment is measured once, so the time is
 * proportional to the document, even if fragments expand to millions of fields.
 *
 * @param movesMoney whether a field with this name moves money
 */
export function measureOperations(
  document: DocumentNode,
  movesMoney: (fieldName: string) => boolean,
): Measures[] {
  const fragments = fragmentsOf(document);
  /** Inside itself, a fragment counts as nothing. Validation rejects such fragments. */
  const measured = new Map<string, Measures>();

  function measureFragment(name: string): Measures {
    const known = measured.get(name);
    if (known !== undefined) return known;
    measured.set(name, NOTHING);
    const fragment = fragments.get(name);
    const measures =
      fragment === undefined
        ? NOTHING
        : withDirectives(measureSet(fragment.selectionSet), fragment.directives);
    measured.set(name, measures);
    return measures;
  }

  function measureSet(set: SelectionSetNode): Measures {
    return set.selections.map(measureSelection).reduce(add, NOTHING);
  }

  function measureSelection(selection: SelectionNode): Measures {
    return withDirectives(measureContent(selection), selection.directives);
  }

  function measureContent(selection: SelectionNode): Measures {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return measureFragment(selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) return measureSet(selection.selectionSet);
    const inner = selection.selectionSet ? measureSet(selection.selectionSet) : NOTHING;
    return {
      depth: inner.depth + 1,
      aliases: inner.aliases + (selection.alias === undefined ? 0 : 1),
      directives: inner.directives,
      rootFields: 1,
      moneyFields: movesMoney(selection.name.value) ? 1 : 0,
    };
  }

  return document.definitions
    .filter((definition): definition is OperationDefinitionNode => 'operation' in definition)
    .map(({ selectionSet, directives }) => withDirectives(measureSet(selectionSet), directives));
}

function add(one: Measures, other: Measures): Measures {
  return {
    depth: Math.max(one.depth, other.depth),
    aliases: one.aliases + other.aliases,
    directives: one.directives + other.directives,
    rootFields: one.rootFields + other.rootFields,
    moneyFields: one.moneyFields + other.moneyFields,
  };
}

function withDirectives(measures: Measures, directives: readonly unknown[] | undefined): Measures {
  return { ...measures, directives: measures.directives + (directives?.length ?? 0) };
}
