import type { Plugin } from 'vitest/config';

const TAG = /graphql`\s*(?:query|fragment|mutation|subscription) (\w+)[^`]*`/g;

/**
 * Replaces each `graphql` tag of Relay with the compiled operation, as its plugins for
 * bundlers do.
 */
export function relayTags(): Plugin {
  return {
    name: 'relay-tags',
    enforce: 'pre',
    transform(code, id) {
      if (!code.includes("from 'relay-runtime'") || id.includes('__generated__')) return null;
      const imports: string[] = [];
      const compiled = code.replace(TAG, (_tag, name: string) => {
        const local = `compiled_${name}`;
        imports.push(`import ${local} from './__generated__/${name}.graphql.ts';`);
        return local;
      });
      return { code: [...imports, compiled].join('\n'), map: null };
    },
  };
}
