import { parse } from 'content-type';
import { LRUCache } from 'lru-cache';

/** A range of an `Accept` header: a type or a group of types, with its weight. */
interface MediaRange {
  readonly type: string;
  readonly weight: number;
}

/** How much a client prefers a type. */
interface Wish<Type> {
  readonly type: Type;
  readonly weight: number;
  /** How general the range that applies is: 0 for the type itself, 2 for all types. */
  readonly vagueness: number;
  readonly position: number;
}

/** Further ranges of a header are ignored. */
const MAX_RANGES = 100;
/** Maximum characters of cached headers. A client sends few different ones. */
const MAX_CHARACTERS = 65_536;

/**
 * Creates a function that chooses one of the types for an `Accept` header, as in section 12.5.1 of
 * RFC 9110. It returns undefined if the client accepts none.
 *
 * Among the types with the highest weight, a type that the client names wins over one in a group,
 * then the one that is named first, then the first one here.
 */
function createNegotiate<Type extends string>(
  ...types: readonly [Type, ...Type[]]
): (accept: string | undefined) => Type | undefined {
  const known = new LRUCache<string, Type>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_type, accept) => accept.length,
  });
  return (accept) => {
    // The header is absent or empty.
    if (!accept) return types[0];
    const before = known.get(accept);
    if (before !== undefined) return before;
    const chosen = choose(types, readRanges(accept));
    if (chosen !== undefined) known.set(accept, chosen);
    return chosen;
  };
}

/** Ignores ranges with a charset other than UTF-8, and weights that are not numbers. */
function readRanges(accept: string): MediaRange[] {
  const ranges: MediaRange[] = [];
  for (let start = 0, count = 0; start < accept.length && count < MAX_RANGES; count++) {
    // Other parameters have no meaning for JSON and HTML.
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

/** The most specific range applies, even if a more general one has a higher weight. */
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

/** Whether the client is a browser that opens a page, and not a program that reads JSON. */
export function wantsPage(accept: string | undefined): boolean {
  return pageTypeFor(accept) === 'text/html';
}

const pageTypeFor = createNegotiate('application/json', 'text/html');

/** The media type of Server-Sent Events. */
export const EVENT_STREAM = 'text/event-stream';

/** Whether a client accepts Server-Sent Events. */
export function wantsEvents(accept: string | undefined): boolean {
  return eventTypeFor(accept) !== undefined;
}

const eventTypeFor = createNegotiate(EVENT_STREAM);
