import {
  type DirectiveNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  parse,
  parseConstValue,
  parseType,
  print,
  type SelectionNode,
  TypeInfo,
  type ValueNode,
  type VariableDefinitionNode,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { schema } from '../../../src/gateway/schema.ts';
import type { Random } from '../../money/simulation/random.ts';

/** A document and its variables. */
export interface Varied {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const name = (value: string) => ({ kind: Kind.NAME, value }) as const;
const variable = (value: string) => ({ kind: Kind.VARIABLE, name: name(value) }) as const;
const aliases = ['x', 'long_name', 'constructor', '__proto__', 'toString'] as const;

/** What a document gets in addition. */
interface Parts {
  readonly random: Random;
  readonly variables: Record<string, unknown>;
  readonly definitions: VariableDefinitionNode[];
  readonly fragments: FragmentDefinitionNode[];
  /** Whether some of its fields have `@skip` or `@include`. */
  readonly hasConditions: boolean;
}

/**
 * Writes a query with the same fields differently: with variables for arguments, fragments that
 * are used more than once, other aliases, and conditions. It may not be valid.
 */
export function varyDocument(text: string, random: Random): Varied {
  const parts: Parts = {
    random,
    variables: {},
    definitions: [],
    fragments: [],
    hasConditions: random.chance(0.2),
  };
  const document = parse(text);
  const types = new TypeInfo(schema);
  const varied = visit(
    document,
    visitWithTypeInfo(types, {
      Argument: {
        leave: (node) => {
          const type = types.getArgument()?.type;
          if (type === undefined || !random.chance(0.5)) return undefined;
          return { ...node, value: addVariable(parts, String(type), node.value) };
        },
      },
      Field: { leave: (node) => varyField(parts, node) },
      SelectionSet: {
        leave: (node) => {
          const type = types.getParentType()?.name;
          if (type === undefined) return undefined;
          return { ...node, selections: withFragments(parts, type, node.selections) };
        },
      },
      OperationDefinition: {
        leave: (node) => ({ ...node, variableDefinitions: parts.definitions }),
      },
    }),
  );
  const definitions = [...varied.definitions, ...parts.fragments];
  return { query: print({ ...varied, definitions }), variables: parts.variables };
}

function addVariable({ random, variables, definitions }: Parts, type: string, value: ValueNode) {
  const id = `v${definitions.length}`;
  const hasDefault = random.chance(0.2);
  definitions.push({
    kind: Kind.VARIABLE_DEFINITION,
    variable: variable(id),
    type: parseType(type),
    ...(hasDefault ? { defaultValue: parseConstValue(print(value)) } : {}),
  });
  if (!hasDefault || random.chance(0.3)) variables[id] = valueFromASTUntyped(value);
  return variable(id);
}

function varyField(parts: Parts, node: FieldNode): FieldNode {
  const { random } = parts;
  const directives = parts.hasConditions && random.chance(0.3) ? [condition(parts)] : [];
  const alias = random.chance(0.03) ? { alias: name(random.pick(aliases)) } : {};
  return { ...node, ...alias, directives };
}

function condition({ random, variables, definitions }: Parts): DirectiveNode {
  const id = `v${definitions.length}`;
  definitions.push({
    kind: Kind.VARIABLE_DEFINITION,
    variable: variable(id),
    type: parseType('Boolean!'),
  });
  variables[id] = random.chance(0.5);
  return {
    kind: Kind.DIRECTIVE,
    name: name(random.pick(['skip', 'include'])),
    arguments: [{ kind: Kind.ARGUMENT, name: name('if'), value: variable(id) }],
  };
}

/** Moves some selections to a fragment, or adds one that is used elsewhere. */
function withFragments(
  parts: Parts,
  type: string,
  selections: readonly SelectionNode[],
): readonly SelectionNode[] {
  const { random, fragments } = parts;
  const spread = (of: string): SelectionNode => ({
    kind: Kind.FRAGMENT_SPREAD,
    name: name(of),
    directives: parts.hasConditions && random.chance(0.3) ? [condition(parts)] : [],
  });
  const [known] = fragments.filter(({ typeCondition }) => typeCondition.name.value === type);
  if (known !== undefined && random.chance(0.5)) {
    return [...selections, spread(known.name.value)];
  }
  if (!random.chance(0.3)) return selections;
  const id = `F${fragments.length}`;
  fragments.push({
    kind: Kind.FRAGMENT_DEFINITION,
    name: name(id),
    typeCondition: { kind: Kind.NAMED_TYPE, name: name(type) },
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  });
  return random.chance(0.3) ? [spread(id), spread(id)] : [spread(id)];
}
