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
  /** Whether the target already shows the relation, with a list of this type. */
  readonly isReverse: boolean;
}

/** The fields of a type that lead to one of the shown types, directly or through connections. */
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

/** The fields of an object or interface type; none for other types. */
export function fieldsOf(type: GraphQLNamedType): GraphQLField<unknown, unknown>[] {
  return isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
}

/** The target of a field: the node type if it is a connection. */
function targetOf(type: GraphQLOutputType) {
  const target = getNamedType(type);
  const edges = isObjectType(target) ? target.getFields().edges : undefined;
  const edge = edges && getNamedType(edges.type);
  const node = isObjectType(edge) ? edge.getFields().node : undefined;
  return node === undefined
    ? { target, isList: isListType(getNullableType(type)) }
    : { target: getNamedType(node.type), isList: true };
}
