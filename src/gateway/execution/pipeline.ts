import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { RateLimit } from '../access/rate-limit.ts';
import type { Scope } from '../channels.ts';
import type { GatewaySettings } from '../settings/settings.ts';
import type { Log } from '../telemetry/log.ts';
import type { Shared } from './create-context.ts';
import { createMeasureComplexity, type MeasureComplexity } from './documents/complexity.ts';
import { cacheDocuments, type ReadText } from './documents/document-cache.ts';
import { createDocumentRules } from './documents/document-rules.ts';
import type {
  DocumentError,
  Named,
  PersistedDocuments,
} from './documents/persisted/persisted-documents.ts';
import { type ReadDocument, readDocument } from './documents/read-document.ts';
import { createMaskError } from './errors.ts';
import { createExecuteOperation, type ExecuteOperation } from './execute-operation.ts';
import { createPlans } from './plans/plans.ts';
import { RequestRecord } from './request-record.ts';

/** The settings of the pipeline. */
export type PipelineSettings = Pick<
  GatewaySettings,
  'federation' | 'documents' | 'introspection' | 'production' | 'log' | 'plans' | 'http'
>;

/** What the pipeline is created from. */
export interface PipelineParts {
  readonly shared: Shared;
  readonly rate: RateLimit;
  /** The documents that clients may name by an id. */
  readonly persisted: PersistedDocuments;
  readonly log: Log;
  /** Called with errors that are bugs in the gateway. */
  readonly onBug: (error: unknown) => void;
}

/** The steps of a request, in order. The fast path, Yoga and exports take the same steps. */
export interface Pipeline {
  readonly schema: GraphQLSchema;
  readonly shared: Shared;
  readonly rate: RateLimit;
  /** Starts the record of a request. */
  readonly startRecord: (headers: NodeJS.Dict<string | string[]>) => RequestRecord;
  /** Finds the text that a request names, or returns why it is rejected. */
  readonly resolve: (named: Named) => string | DocumentError;
  /** Parses and validates a document, or takes it from the cache. */
  readonly read: ReadText;
  /** Reads a text that was derived from a document. */
  readonly readDerived: (text: string, from: DocumentNode, scope: Scope) => ReadDocument;
  readonly measure: MeasureComplexity;
  readonly maxComplexity: number;
  readonly execute: ExecuteOperation;
  readonly maskError: (error: unknown) => Error;
  /** Size of the largest response that is sent. */
  readonly maxResponseBytes: number;
  /** Number of compiled operations. */
  countPlans(): number;
}

/** Creates the pipeline. */
export function createPipeline(
  settings: PipelineSettings,
  { shared, rate, persisted, log, onBug }: PipelineParts,
): Pipeline {
  const { limits, cache } = settings.documents;
  const rules = createDocumentRules(settings);
  const plans = createPlans(rules.schema, settings.plans);
  const cached = cacheDocuments((text, scope) => readDocument(text, rules, scope), cache);
  const { allowance } = shared;
  const records = { limits: allowance, showsNames: settings.log.operationNames, log, persisted };
  return {
    schema: rules.schema,
    shared,
    rate,
    startRecord: (headers) => new RequestRecord(headers, records),
    resolve: persisted.resolve,
    read: (text, scope) => persisted.find(text) ?? cached(text, scope),
    readDerived: (text, from, scope) =>
      persisted.readDerived(text, from, scope) ?? cached(text, scope),
    measure: createMeasureComplexity(rules.schema),
    maxComplexity: limits.complexity,
    execute: createExecuteOperation(rules.schema, plans, rules.introspection),
    maskError: createMaskError(onBug, shared.noteUnreadable),
    maxResponseBytes: settings.http.maxResponseBytes,
    countPlans: () => plans.size,
  };
}
