import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import type { YogaServerOptions } from 'graphql-yoga';
import { addHeader } from './header.ts';
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
 * GraphiQL reads an operation's name a tenth of a second after its text came into the
 * editor. Run before that, an opened tab would ask for the operation of the tab before it,
 * so a click that comes too early waits.
 */
const RUN_WHEN_READ = `<script>
{
  let reading;
  let early;
  const open = () => {
    clearTimeout(reading);
    early = undefined;
    // First GraphiQL handles the click, then its time begins.
    reading = setTimeout(() => { reading = setTimeout(read, 150); });
  };
  const read = () => {
    reading = undefined;
    early?.click();
  };
  addEventListener('click', (event) => {
    if (event.target.closest('.graphiql-tabs')) open();
    const run = event.target.closest('.graphiql-execute-button');
    if (run === null || reading === undefined) return;
    event.stopImmediatePropagation();
    early = run;
  }, true);
}
</script>`;

/**
 * GraphiQL from local assets, with the example operations as tabs and a header above. A key
 * is filled in only when one is given: the sandbox's demo key, never anybody else's.
 */
export function createGraphiQL(demoKey: string | undefined): GraphiQLSettings {
  const authorization = `Bearer ${demoKey ?? '<key of your app>'}`;
  const examples = readExampleOperations();
  const pageOfTab = examples.map(({ page }) => page);
  const headers = JSON.stringify({ Authorization: authorization }, null, 2);
  return {
    renderGraphiQL: (options) => {
      const inHead = [STEADY_TABS, FRESH_TABS, RUN_WHEN_READ, '</head>'].join('\n');
      const html = renderGraphiQL(options).replace('</head>', inHead);
      return addHeader(html, pageOfTab, demoKey !== undefined);
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
