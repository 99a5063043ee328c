import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { YogaServerOptions } from 'graphql-yoga';
import { readExampleOperations } from './operations.ts';

type GraphiQLSettings = Pick<YogaServerOptions<object, object>, 'graphiql' | 'renderGraphiQL'>;

/**
 * GraphiQL lets tabs be dragged, and a pressed tab jumps to where its opening animation
 * left it: the button goes up beside it, and the tab does not open.
 */
const STEADY_TABS = '<style>.graphiql-tab { transform: none !important; }</style>';

/**
 * Every visit begins with the examples. Headers, which hold a key, are not stored, so
 * GraphiQL would not recognise its stored tabs and show an empty one; and the query it
 * writes into the address would come back without its variables, in the wrong tab.
 */
const FRESH_TABS = `<script>
for (const name of ['tabState', 'query', 'variables', 'headers']) localStorage.removeItem('graphiql:' + name);
history.replaceState(null, '', location.pathname);
</script>`;

/**
 * GraphiQL from local assets, with the example operations as tabs. A key is filled in
 * only when one is given: the sandbox's demo key, never anybody else's.
 */
export function createGraphiQL(demoKey: string | undefined): GraphiQLSettings {
  const authorization = `Bearer ${demoKey ?? '<key of your app>'}`;
  const headers = JSON.stringify({ Authorization: authorization }, null, 2);
  return {
    renderGraphiQL: (options) =>
      renderGraphiQL(options).replace('</head>', `${STEADY_TABS}${FRESH_TABS}</head>`),
    graphiql: {
      title: 'Tillgraph',
      defaultHeaders: headers,
      defaultTabs: readExampleOperations().map(({ query, variables }) => ({
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
