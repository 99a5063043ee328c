import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { YogaServerOptions } from 'graphql-yoga';
import { readAsset } from './asset.ts';
import { addHeader } from './header.ts';
import { readExampleOperations } from './operations.ts';

type GraphiQLSettings = Pick<YogaServerOptions<object, object>, 'graphiql' | 'renderGraphiQL'>;

/**
 * GraphiQL, served without another host, with the example operations as tabs and a header
 * above.
 *
 * @param demoKey the key to fill in; only that of the sandbox's demo app
 */
export function createGraphiQL(demoKey: string | undefined): GraphiQLSettings {
  const authorization = `Bearer ${demoKey ?? '<key of your app>'}`;
  const examples = readExampleOperations();
  const groupOfTab = examples.map(({ group }) => group);
  const headers = JSON.stringify({ Authorization: authorization }, null, 2);
  const inHead = `<style>${readAsset('tabs.css')}</style>
<script>${readAsset('fresh-tabs.js')}</script>
<script>${readAsset('delayed-run.js')}</script>
`;
  return {
    renderGraphiQL: (options) => {
      const html = renderGraphiQL(options).replace('</head>', (end) => inHead + end);
      return addHeader(html, groupOfTab, demoKey !== undefined);
    },
    graphiql: {
      title: 'Tillgraph',
      defaultHeaders: headers,
      defaultTabs: examples.map(({ query, variables }) => ({
        query,
        variables,
        headers,
      })),
      shouldPersistHeaders: false,
      defaultEditorToolsVisibility: 'variables',
      credentials: 'same-origin',
    },
  };
}
