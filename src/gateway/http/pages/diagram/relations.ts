import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
} from 'graphql';

/** A field that leads to another type. */
export interface Relation {
  readonly field: string;
  readonly target: GraphQLNamedType;
  readonly isList: boolean;
  /** Whether the target leads back to one record of this type. */
  readonly isMutual: boolean;
  /** Whether the target shows the relation already, with its list of these. */
  readonly isReverse: boolean;
}

/** The fields of a type that lead to one of the types that are shown, through connections too. */
export function relationsOf(
  type: GraphQLNamedType,
  shown: ReadonlySet<GraphQLNamedType>,
): Relation[] {
  return linksOf(type)
    .filter(({ target }) => shown.has(target))
    .map((link) => {
      const back = linksOf(link.target).filter(({ target }) => target === type);
      return {
        ...link,
        isMutual: link.isList && back.some(({ isList }) => !isList),
        isReverse: !link.isList && back.some(({ isList }) => isList),
      };
    });
}

function linksOf(type: GraphQLNamedType) {
  return fieldsOf(type).map((field) => ({ field: field.name, ...targetOf(field.type) }));
}

/** The fields of a type; none if it has no fields that return something. */
export function fieldsOf(type: GraphQLNamedType): GraphQLField<unknown, unknown>[] {
  return isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
}

/** What a field leads to: the nodes, if it is a connection. */
function targetOf(type: GraphQLOutputType) {
  const target = getNamedType(type);
  const edges = isObjectType(target) ? target.getFields().edges : undefined;
  const edge = edges && getNamedType(edges.type);
  const node = isObjectType(edge) ? edge.getFields().node : undefined;
  return node === undefined
    ? { target, isList: isListType(getNullableType(type)) }
    : { target: getNamedType(node.type), isList: true };
}
