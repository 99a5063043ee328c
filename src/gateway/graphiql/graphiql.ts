import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { YogaServerOptions } from 'graphql-yoga';
import { readExampleOperations } from './operations.ts';

type GraphiQLSettings = Pick<YogaServerOptions<object, object>, 'graphiql' | 'renderGraphiQL'>;

/**
 * GraphiQL from local assets, with the example operations as tabs. A key is filled in
 * only when one is given: the sandbox's demo key, never anybody else's.
 */
export function createGraphiQL(demoKey: string | undefined): GraphiQLSettings {
  const headers = JSON.stringify({ Authorization: `Bearer ${demoKey ?? '<key of your app>'}` });
  return {
    renderGraphiQL,
    graphiql: {
      title: 'Tillgraph',
      defaultHeaders: headers,
      defaultTabs: readExampleOperations().map(({ query, variables }) => ({
        query,
        variables,
        headers,
      })),
      shouldPersistHeaders: false,
      defaultEditorToolsVisibility: 'headers',
      credentials: 'same-origin',
    },
  };
}
