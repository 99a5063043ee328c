import fc from 'fast-check';
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { schema } from '../../../src/gateway/schema.ts';

/** Texts that break what does not expect them. */
export const oddText = fc.oneof(
  fc.constantFrom('', '.', '..', '../me', '%2e%2e', 'a?x', 'a#b', '__proto__', 'constructor'),
  fc.constantFrom('\u0000', '\r\nx: y', '\ud800', '𝒳', 'x'.repeat(5_000), '\u202e', "'; --"),
  fc.string({ maxLength: 30 }),
);

/** Valid documents, and the parts that they are made of. */
export interface RandomDocuments {
  /** Documents with one operation of one of these root types. */
  of(...roots: readonly (GraphQLObjectType | null | undefined)[]): fc.Arbitrary<string>;
}

/**
 * Creates arbitrary documents.
 *
 * @param knownIds ids of records that exist
 */
export function randomDocuments(knownIds: readonly string[]): RandomDocuments {
  const anyValue = valuesWith(knownIds);

  function fieldOf(field: GraphQLField<unknown, unknown>, depth: number): fc.Arbitrary<string> {
    const required = field.args.map((arg) => {
      const value = anyValue(arg.type).map((each) => `${arg.name}: ${each}`);
      return isNonNullType(arg.type) ? value : fc.oneof(fc.constant(''), value);
    });
    return fc
      .tuple(
        fc.constantFrom('', '', 'a: ', 'b: '),
        fc.tuple(...required),
        selectionOf(field.type, depth),
      )
      .map(([alias, args, selection]) => {
        const given = args.filter((arg) => arg !== '').join(' ');
        return `${alias}${field.name}${given && `(${given})`}${selection}`;
      });
  }

  function selectionOf(type: GraphQLOutputType, depth: number): fc.Arbitrary<string> {
    const named = getNamedType(type);
    if (isLeafType(named)) return fc.constant('');
    const typename = fc.constant('{ __typename }');
    if (depth > 5) return typename;
    if (isAbstractType(named)) {
      return fc
        .constantFrom(...schema.getPossibleTypes(named))
        .chain((possible) =>
          selectionOf(possible, depth + 1).map((inner) => `{ ... on ${possible.name} ${inner} }`),
        );
    }
    if (!isObjectType(named)) return typename;
    const fields = Object.values(named.getFields());
    return fc
      .array(fc.constantFrom(...fields), { minLength: 1, maxLength: 3 })
      .chain((some) => fc.tuple(...some.map((field) => fieldOf(field, depth + 1))))
      .map((all) => `{ ${all.join(' ')} }`);
  }

  return {
    of: (...roots) =>
      fc.constantFrom(...roots).chain((type) => {
        if (!type) throw new Error('The schema has no such type.');
        const kind = type === schema.getMutationType() ? 'mutation' : 'query';
        return selectionOf(type, 0).map((selection) => `${kind} ${selection}`);
      }),
  };
}

/** Values for arguments: valid most of the time. */
function valuesWith(knownIds: readonly string[]) {
  return function anyValue(type: GraphQLInputType): fc.Arbitrary<string> {
    if (isNonNullType(type)) return anyValue(type.ofType);
    if (isListType(type)) {
      return fc.array(anyValue(type.ofType), { maxLength: 3 }).map((all) => `[${all}]`);
    }
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).map((field) =>
        anyValue(field.type).map((value) => `${field.name}: ${value}`),
      );
      return fc.tuple(...fields).map((all) => `{ ${all.join(' ')} }`);
    }
    if ('getValues' in type) {
      return fc.constantFrom(...type.getValues().map(({ name }) => name), 'NO_SUCH_VALUE');
    }
    const text = oddText.map((each) => JSON.stringify(each));
    switch (type.name) {
      case 'Int':
        return fc.oneof(fc.integer({ min: -5, max: 150 }), fc.integer()).map(String);
      case 'Boolean':
        return fc.boolean().map(String);
      case 'ID':
        return fc.oneof(
          fc.nat(knownIds.length - 1).map((at) => `"${knownIds[at]}"`),
          text,
        );
      default:
        return fc.oneof(text, fc.integer().map(String));
    }
  };
}
