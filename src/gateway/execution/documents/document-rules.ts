import { toSubgraph } from '../../schema/federation/subgraph.ts';
import { schema } from '../../schema.ts';
import type { GatewaySettings } from '../../settings/settings.ts';
import type { DocumentRules } from './read-document.ts';

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
