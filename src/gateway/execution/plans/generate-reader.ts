import type { FieldNode } from 'graphql';
import { abandon, type Complete, settle } from './complete.ts';
import type { PlanRun } from './plan-run.ts';

/** One field of an object, or the name of a property that is the field's value. */
export interface PlanField {
  /** Its name in the response. */
  readonly name: string;
  /** Undefined if the field has a resolver. */
  readonly property: string | undefined;
  readonly nodes: readonly FieldNode[];
  /** Whether it must not be null. Only such a field throws. */
  readonly isRequired: boolean;
  /** Gets the object, or the value of the property. */
  readonly complete: Complete;
}

/** Creates a reader from the values that its text refers to. */
export type Generate = (...given: readonly unknown[]) => Complete;

/** An object without any property. */
const NOTHING = Object.create(null);

/** Short, because the code stays in memory as text. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

/**
 * Generates the function that reads the fields of an object. A loop would do the same, but the
 * engine runs code for one shape of objects several times faster. The only parts of a query in the
 * text are names, which are checked.
 *
 * @param generated the functions that the plan already has, by their texts
 */
export function generateReader(
  fields: readonly PlanField[],
  generated: Map<string, Generate>,
): Complete {
  const names = fields.flatMap(({ name, property = name }) => [name, property]);
  const isUnsafe = (name: string) => !NAME.test(name) || name === '__proto__';
  if (names.some(isUnsafe)) throw new Error('There is a name that code cannot contain.');
  const reads = fields.map(({ property }, at) =>
    property === undefined ? `f${at}(run, source)` : `f${at}(run, object.${property})`,
  );
  const values = fields.map((_, at) => `v${at}`);
  const isPromise = values.map((value) => `${value} instanceof Promise`).join(' || ');
  // A property of anything else, such as the length of a string, is not a field.
  const text = `return (run, source) => {
const object = typeof source === 'object' && source !== null ? source : NONE;
${values.length > 0 ? `let ${values.join(', ')};` : ''}
try {
${reads.map((read, at) => `v${at} = ${read};`).join('\n')}
} catch (error) { return end(run, error, [${values.join(', ')}]); }
const data = { ${fields.map(({ name }, at) => `${name}: v${at}`).join(', ')} };
return ${isPromise || 'false'} ? settle(run, data, required) : data; };`;
  const parameters = ['NONE', 'settle', 'required', 'end', ...fields.map((_, at) => `f${at}`)];
  // A function with this text takes the values for `parameters`.
  const generate = generated.get(text) ?? (new Function(...parameters, text) as Generate);
  generated.set(text, generate);
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const end = (run: PlanRun, error: unknown, read: readonly unknown[]) => {
    // A value that was completed is never undefined.
    const at = read.indexOf(undefined);
    const before = fields.slice(0, at).map(({ name }, index) => [name, read[index]]);
    const { name: key = '', nodes = [] } = fields[at] ?? {};
    return abandon(run, Object.fromEntries(before), required, { key, error, nodes });
  };
  return generate(NOTHING, settle, required, end, ...fields.map(({ complete }) => complete));
}
