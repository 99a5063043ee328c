import type { CodegenConfig } from '@graphql-codegen/cli';
import scalars from '../../schema/scalars.json' with { type: 'json' };

/** To copy this folder, copy both files of the schema too, and change both paths. */
const config: CodegenConfig = {
  schema: '../../schema/schema.graphql',
  documents: 'src/*.{ts,tsx}',
  generates: { 'src/gql/': { preset: 'client', presetConfig: { fragmentMasking: false } } },
  config: {
    ...{ scalars, strictScalars: true, useTypeImports: true, enumType: 'const' },
    ...{ documentMode: 'string', importExtension: '.ts' },
  },
};
export default config;
