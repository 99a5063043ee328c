import { createRequire } from 'node:module';
import type { CodegenConfig } from '@graphql-codegen/cli';
import scalars from 'tillgraph-schema/scalars.json' with { type: 'json' };

const { resolve } = createRequire(import.meta.url);

const config: CodegenConfig = {
  schema: resolve('tillgraph-schema/schema.graphql'),
  documents: '*.ts',
  generates: {
    './gql/': {
      preset: 'client',
      presetConfig: { fragmentMasking: { unmaskFunctionName: 'unmask' } },
      config: {
        scalars,
        strictScalars: true,
        useTypeImports: true,
        documentMode: 'string',
        importExtension: '.ts',
      },
    },
  },
};

export default config;
