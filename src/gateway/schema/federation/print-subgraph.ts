import { type ConstDirectiveNode, type GraphQLSchema, Kind, parse, print, visit } from 'graphql';
import { printGraph } from '../print.ts';

/** Root fields that the subgraph omits: two subgraphs that have them do not compose. */
export const NODE_FIELDS: ReadonlySet<string> = new Set(['node', 'nodes']);

/** Value types that other subgraphs may define too. */
const SHAREABLE: ReadonlySet<string> = new Set(['Money', 'PageInfo']);

const HEAD = `extend schema
  @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])

"Exactly one field of the input must be set."
directive @oneOf on INPUT_OBJECT
`;

/**
 * Prints the schema as an Apollo Federation v2 subgraph. Its nodes are entities with the key `id`.
 * It declares `@oneOf`, because one composer otherwise rejects it.
 */
export function printSubgraph(schema: GraphQLSchema): string {
  const key = directive('@key(fields: "id")');
  const shareable = directive('@shareable');
  const document = visit(parse(printGraph(schema)), {
    ObjectTypeDefinition: (node) => {
      const added = [
        ...(node.interfaces?.some(({ name }) => name.value === 'Node') ? [key] : []),
        ...(SHAREABLE.has(node.name.value) ? [shareable] : []),
      ];
      const fields = node.fields?.filter(({ name }) => !NODE_FIELDS.has(name.value)) ?? [];
      return {
        ...node,
        directives: [...(node.directives ?? []), ...added],
        fields: node.name.value === 'Query' ? fields : (node.fields ?? []),
      };
    },
  });
  return `${print(parse(HEAD))}\n\n${print(document)}\n`;
}

function directive(text: string): ConstDirectiveNode {
  const [definition] = parse(`type T ${text} { f: ID }`).definitions;
  const [added] =
    definition?.kind === Kind.OBJECT_TYPE_DEFINITION ? (definition.directives ?? []) : [];
  if (added === undefined) throw new Error(`${text} is not a directive.`);
  return added;
}
