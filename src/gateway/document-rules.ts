import type { DocumentRules } from './document/read-document.ts';
import { toSubgraph } from './federation/subgraph.ts';
import { schema } from './schema.ts';
import type { GatewaySettings } from './settings.ts';

/** What every document is checked against. */
export function createDocumentRules({
  federation,
  documents,
  production,
  introspection = !production,
}: Pick<
  GatewaySettings,
  'federation' | 'documents' | 'production' | 'introspection'
>): DocumentRules {
  const { limits } = documents;
  return { schema: federation ? toSubgraph(schema) : schema, limits, introspection };
}
