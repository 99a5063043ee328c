/** What an attribute is for a span or a metric, in the words of the conventions. */
export type Level = 'required' | 'if available' | 'recommended' | 'opt-in';

/** A span or a metric of the conventions, with all attributes that they know for it. */
export interface Convention {
  readonly kind: string;
  readonly attributes: Readonly<Record<string, Level>>;
}

const operation = {
  'graphql.operation.type': 'required',
  'graphql.operation.name': 'recommended',
  'graphql.document.hash': 'recommended',
  'graphql.document.id': 'if available',
} as const;

const server: Convention = {
  kind: 'SERVER',
  attributes: { ...operation, 'error.type': 'if available', 'user_agent.original': 'recommended' },
};
const phase: Convention = { kind: 'INTERNAL', attributes: operation };

/**
 * The spans of the GraphQL working group's draft (graphql/otel-wg, spec/spans.yml), and the
 * client span of OpenTelemetry's HTTP conventions (1.27, stable).
 */
export const spanConventions: Readonly<Record<string, Convention>> = {
  query: server,
  mutation: server,
  'GraphQL Operation': {
    ...server,
    attributes: { ...server.attributes, 'graphql.operation.type': 'if available' },
  },
  'GraphQL Document Parsing': {
    ...phase,
    attributes: { ...operation, 'graphql.operation.type': 'if available' },
  },
  'GraphQL Document Validation': phase,
  'GraphQL Variable Coercion': phase,
  'GraphQL Operation Execution': phase,
  ...Object.fromEntries(
    ['GET', 'POST', 'PUT', 'DELETE'].map((method) => [
      method,
      {
        kind: 'CLIENT',
        attributes: {
          'http.request.method': 'required',
          'server.address': 'required',
          'server.port': 'required',
          'url.full': 'required',
          'error.type': 'if available',
          'http.response.status_code': 'if available',
          'http.request.resend_count': 'recommended',
        },
      },
    ]),
  ),
};

const base = {
  'graphql.operation.type': 'if available',
  'graphql.operation.name': 'opt-in',
} as const;

/** The metrics of the same documents (spec/metrics.yml), with their units. */
export const metricConventions: Readonly<Record<string, Convention & { readonly unit: string }>> = {
  'graphql.server.request.duration': {
    kind: 'histogram',
    unit: 's',
    attributes: { ...base, 'graphql.document.id': 'opt-in', 'error.type': 'if available' },
  },
  'graphql.server.active_requests': {
    kind: 'sum',
    unit: '{request}',
    attributes: { 'graphql.operation.type': 'if available' },
  },
  'graphql.server.request.parse.duration': { kind: 'histogram', unit: 's', attributes: base },
  'graphql.server.request.validate.duration': { kind: 'histogram', unit: 's', attributes: base },
  'graphql.server.request.execute.duration': { kind: 'histogram', unit: 's', attributes: base },
  'graphql.server.request.error_count': { kind: 'histogram', unit: '{error}', attributes: base },
  'http.client.request.duration': {
    kind: 'histogram',
    unit: 's',
    attributes: {
      'http.request.method': 'required',
      'server.address': 'required',
      'server.port': 'required',
      'error.type': 'if available',
      'http.response.status_code': 'if available',
    },
  },
};
