import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  isExecutableDefinitionNode,
  Kind,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { type Phase, parses, type Scope, type Topic, validations } from '../../channels.ts';
import { isMoneyField } from '../../schema/mutation-error.ts';
import { type Measures, measureOperations } from './measure.ts';
import { mergeRules } from './merge-rules.ts';
import { exceeds, requestError } from './request-error.ts';

/** A document that can be executed, or why it cannot. */
export type ReadDocument =
  | { readonly document: DocumentNode }
  | { readonly errors: readonly GraphQLError[] };

/** What documents are checked against. */
export interface DocumentRules {
  readonly schema: GraphQLSchema;
  readonly limits: DocumentLimits;
  /** Whether clients may read the schema. Errors then suggest names from the schema. */
  readonly introspection: boolean;
}

/**
 * Parses and checks a document. Its limits are checked before it is validated against the schema,
 * in time proportional to its number of tokens.
 */
export function readDocument(text: string, rules: DocumentRules, scope: Scope): ReadDocument {
  const start = performance.now();
  const parsed = parseWithin(text, rules.limits.tokens);
  const failed = parsed instanceof GraphQLError;
  if (parses.hasSubscribers) publish(parses, failed ? undefined : parsed, { scope, start, failed });
  if (failed) return { errors: [parsed] };
  const checkStart = performance.now();
  const checked = checkDocument(parsed, rules);
  if (validations.hasSubscribers) {
    publish(validations, parsed, { scope, start: checkStart, failed: 'errors' in checked });
  }
  return checked;
}

/** Publishes a phase that ends now. The type is that of the first operation. */
function publish(
  topic: Topic<Phase>,
  document: DocumentNode | undefined,
  phase: Pick<Phase, 'scope' | 'start' | 'failed'>,
): void {
  const operation = document?.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  const type = operation && 'operation' in operation ? operation.operation : undefined;
  topic.publish({ ...phase, type, end: performance.now() });
}

const RULE = mergeRules(specifiedRules);
const RULE_WITHOUT_INTROSPECTION = mergeRules([...specifiedRules, NoSchemaIntrospectionCustomRule]);

function checkDocument(
  parsed: DocumentNode,
  { schema, limits, introspection }: DocumentRules,
): ReadDocument {
  const exceeded = checkLimits(parsed, schema, limits);
  if (exceeded !== undefined) return { errors: [exceeded] };
  const rule = introspection ? RULE : RULE_WITHOUT_INTROSPECTION;
  // Suggestions compare names with type definitions in the document, which can be very long.
  const hideSuggestions = !introspection || !parsed.definitions.every(isExecutableDefinitionNode);
  const options = { maxErrors: limits.errors, hideSuggestions };
  const invalid = validate(schema, parsed, [rule], options).slice(0, limits.errors);
  if (invalid.length === 0) return { document: parsed };
  const errors: GraphQLError[] = [];
  // Not with `map`: the stack of each error would keep `invalid`, and with it the parsed document.
  for (const error of invalid) {
    errors.push(requestError('GRAPHQL_VALIDATION_FAILED', error.message, error));
  }
  return { errors };
}

function parseWithin(text: string, maxTokens: number): DocumentNode | GraphQLError {
  if (NUL.test(text)) {
    return requestError('BAD_USER_INPUT', 'Text must not contain the character U+0000.');
  }
  try {
    return parse(text, { maxTokens });
  } catch (error) {
    if (error instanceof RangeError) {
      return requestError('GRAPHQL_PARSE_FAILED', 'The document is nested too deeply.');
    }
    if (!(error instanceof GraphQLError)) throw error;
    return TOO_MANY_TOKENS.test(error.message)
      ? requestError('TOKEN_LIMIT', `The document has more than ${maxTokens} tokens.`)
      : requestError('GRAPHQL_PARSE_FAILED', error.message, error);
  }
}

/** The character itself, or one of its escapes. PostgreSQL cannot store it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must not be there
const NUL = /\u0000|\\u0000|\\u\{0+\}/;
const TOO_MANY_TOKENS = /Document contains more th\w+ \d+ tokens/;

function checkLimits(
  document: DocumentNode,
  schema: GraphQLSchema,
  limits: DocumentLimits,
): GraphQLError | undefined {
  const mutations = schema.getMutationType()?.getFields();
  for (const measures of measureOperations(document, (name) => isMoneyField(mutations?.[name]))) {
    const exceeded = checkMeasures(measures, limits);
    if (exceeded !== undefined) return exceeded;
  }
  return undefined;
}

function checkMeasures(
  { depth, aliases, rootFields, moneyFields, directives }: Measures,
  limits: DocumentLimits,
): GraphQLError | undefined {
  return (
    exceeds('DEPTH_LIMIT', depth, limits.depth) ??
    exceeds('ALIAS_LIMIT', aliases, limits.aliases) ??
    exceeds('ROOT_FIELD_LIMIT', rootFields, limits.rootFields) ??
    exceeds('MONEY_FIELD_LIMIT', moneyFields, limits.moneyFields) ??
    exceeds('DIRECTIVE_LIMIT', directives, limits.directives)
  );
}

/** Limits on the content of one document. */
export interface DocumentLimits {
  readonly tokens: number;
  /** Levels of fields, with fragments expanded. */
  readonly depth: number;
  readonly aliases: number;
  readonly rootFields: number;
  /** Fields that move money. */
  readonly moneyFields: number;
  readonly directives: number;
  readonly complexity: number;
  /** Maximum number of errors that are reported for one document. */
  readonly errors: number;
}
