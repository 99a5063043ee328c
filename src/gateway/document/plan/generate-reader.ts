import { type Complete, settle } from './complete.ts';
import { fail } from './plan-run.ts';

/** One field of an object, or the name of a property that is the field's value. */
export interface PlanField {
  /** Its name in the response. */
  readonly name: string;
  /** Undefined if the field has a resolver. */
  readonly property: string | undefined;
  /** Gets the object, or the value of the property. */
  readonly complete: Complete;
}

/** Makes a reader of what its text refers to. */
export type Generate = (...given: readonly unknown[]) => Complete;

/** Short, because the code stays in memory as text. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

/**
 * Generates the function that reads the fields of an object. A loop would do the same, but the
 * engine makes code for one shape of objects several times faster. The text contains nothing
 * of a query but names, which are checked.
 *
 * @param generated the functions that a plan has already, by their texts
 */
export function generateReader(
  fields: readonly PlanField[],
  generated: Map<string, Generate>,
): Complete {
  const names = fields.flatMap(({ name, property = name }) => [name, property]);
  const isUnsafe = (name: string) => !NAME.test(name) || name === '__proto__';
  if (names.some(isUnsafe)) throw new Error('There is a name that code cannot contain.');
  const reads = fields.map(({ property }, at) =>
    property === undefined ? `f${at}(run, source)` : `f${at}(run, source.${property})`,
  );
  const isPromise = fields.map((_, at) => `v${at} instanceof Promise`).join(' || ');
  // A property of anything else, such as the length of a text, is not a field.
  const guard = fields.some(({ property }) => property !== undefined)
    ? "if (typeof source !== 'object') return fail(run);"
    : '';
  const text = `return (run, source) => { ${guard} try {
${reads.map((read, at) => `const v${at} = ${read};`).join('\n')}
const object = { ${fields.map(({ name }, at) => `${name}: v${at}`).join(', ')} };
return ${isPromise || 'false'} ? settle(object) : object;
} catch { return fail(run); } };`;
  const parameters = ['settle', 'fail', ...fields.map((_, at) => `f${at}`)];
  // A function with this text takes what belongs to its parameters.
  const generate = generated.get(text) ?? (new Function(...parameters, text) as Generate);
  generated.set(text, generate);
  return generate(settle, fail, ...fields.map(({ complete }) => complete));
}
