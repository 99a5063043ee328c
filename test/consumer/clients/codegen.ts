import { createRequire } from 'node:module';
import type { CodegenConfig } from '@graphql-codegen/cli';
import scalars from 'tillgraph-schema/scalars.json' with { type: 'json' };

const { resolve } = createRequire(import.meta.url);

const config: CodegenConfig = {
  schema: resolve('tillgraph-schema/schema.graphql'),
  documents: '*.ts',
  generates: {
    './gql/': { preset: 'client', config: { scalars, strictScalars: true, useTypeImports: true } },
  },
};

export default config;
