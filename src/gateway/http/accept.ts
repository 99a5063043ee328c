import { parse } from 'content-type';
import { LRUCache } from 'lru-cache';

/** What of a header `Accept` decides: a type or a group of types, and how much it is wanted. */
interface MediaRange {
  readonly type: string;
  readonly weight: number;
}

/** How much a client wants a type, and where its header says so. */
interface Wish<Type> {
  readonly type: Type;
  readonly weight: number;
  /** Of the range that applies: 0 for the type itself, 2 for all types. */
  readonly vagueness: number;
  readonly position: number;
}

/** Others of a header are not read. */
const MAX_RANGES = 100;
/** Characters of the texts that are remembered. One client sends few different ones. */
const MAX_CHARACTERS = 65_536;

/**
 * Creates the function that chooses one of the types for a header `Accept`, as section 12.5.1 of
 * RFC 9110 says. It returns undefined if the client accepts none.
 *
 * Of the types with the highest weight, it takes one that the client names over one of a group,
 * then the one that is named first, and then the first one here.
 */
function createNegotiate<Type extends string>(
  ...types: readonly [Type, ...Type[]]
): (accept: string | undefined) => Type | undefined {
  const known = new LRUCache<string, Type>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_type, accept) => accept.length,
  });
  return (accept) => {
    // No header, or an empty one.
    if (!accept) return types[0];
    const before = known.get(accept);
    if (before !== undefined) return before;
    const chosen = choose(types, readRanges(accept));
    if (chosen !== undefined) known.set(accept, chosen);
    return chosen;
  };
}

/** Ranges in another charset than UTF-8 are left out, and so are weights that are no numbers. */
function readRanges(accept: string): MediaRange[] {
  const ranges: MediaRange[] = [];
  for (let start = 0, count = 0; start < accept.length && count < MAX_RANGES; count++) {
    // No other parameter means anything for JSON and HTML.
    const { type, parameters, index } = parse(accept, { comma: true, start });
    const { q = '1', charset = 'utf-8' } = parameters;
    const weight = Number(q);
    if (charset.toLowerCase() === 'utf-8' && weight >= 0) ranges.push({ type, weight });
    start = index + 1;
  }
  return ranges;
}

function choose<Type extends string>(
  types: readonly Type[],
  ranges: readonly MediaRange[],
): Type | undefined {
  const [best] = types
    .flatMap((type) => toWish(type, ranges) ?? [])
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.vagueness - b.vagueness || a.position - b.position);
  return best?.type;
}

/** The most specific range applies, even if a vaguer one has a higher weight. */
function toWish<Type extends string>(
  type: Type,
  ranges: readonly MediaRange[],
): Wish<Type> | undefined {
  const from = [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*'];
  for (const [vagueness, name] of from.entries()) {
    const position = ranges.findIndex((range) => range.type === name);
    const range = ranges[position];
    if (range !== undefined) return { type, weight: range.weight, vagueness, position };
  }
  return undefined;
}

/** The media type of a response to a GraphQL request. A client that names none gets JSON. */
export const responseTypeFor = createNegotiate(
  'application/json',
  'application/graphql-response+json',
);

/** Whether somebody opens an address in a browser, in place of a program that reads JSON. */
export function wantsPage(accept: string | undefined): boolean {
  return pageTypeFor(accept) === 'text/html';
}

const pageTypeFor = createNegotiate('application/json', 'text/html');
