import { readAsset } from './asset.ts';
import { renderHeader } from './header.ts';
import { type ExampleOperation, readExampleOperations } from './operations.ts';
import { createPage, createPageFile, type Resource } from './page-files.ts';
import type { Pages } from './serve-pages.ts';

const PATH = '/graphql';
const FOLDER = '/graphiql';

/** GraphiQL sets inline styles, and has its fonts and images in its style sheet. */
const POLICY = {
  'script-src': "'self'",
  'worker-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'font-src': 'data:',
  'img-src': 'data:',
  'connect-src': "'self'",
};

/**
 * GraphiQL, served without another host, with the example operations as tabs and a header
 * above.
 *
 * @param demoKey the key to fill in; only that of the sandbox's demo app
 * @param tokens whether clients send tokens
 */
export function graphiql(demoKey: string | undefined, tokens: boolean): Pages {
  return {
    matches: ({ method, headers }, path) =>
      path === PATH
        ? method === 'GET' && (headers.accept?.includes('text/html') ?? false)
        : path.startsWith(`${FOLDER}/`),
    load: () => createResources(demoKey, tokens),
  };
}

async function createResources(
  demoKey: string | undefined,
  tokens: boolean,
): Promise<Map<string, Resource>> {
  const ownCredential = tokens ? 'TOKEN' : 'KEY';
  const bundle = await import('@graphql-yoga/render-graphiql/graphiql');
  const css = (...parts: string[]) => createPageFile(FOLDER, 'css', parts.join('\n'));
  const js = (...parts: string[]) => createPageFile(FOLDER, 'js', parts.join('\n'));
  const [style, before, main, after, editor, json, graphql] = await Promise.all([
    css(bundle.css, readAsset('tabs.css'), readAsset('header.css')),
    js(readAsset('fresh-tabs.js'), readAsset('delayed-run.js'), readAsset('workers.js')),
    js(bundle.js),
    js(readAsset('start.js'), readAsset('header.js')),
    js(bundle.editorWorkerService),
    js(bundle.jsonWorker),
    js(bundle.graphqlWorker),
  ]);
  const workers = { editorWorkerService: editor.path, json: json.path, graphql: graphql.path };
  const examples = readExampleOperations();
  const html = renderPage({
    favicon: bundle.favicon,
    style: style.path,
    header: renderHeader(
      examples.map(({ group }) => group),
      demoKey === undefined ? ownCredential : 'DEMO_KEY',
    ),
    options: {
      workers,
      graphiql: toOptions(examples, demoKey ?? (tokens ? '<token>' : '<key of your app>')),
    },
    scripts: [before, main, after].map(({ path }) => path),
  });
  const files = [style, before, main, after, editor, json, graphql];
  return new Map([
    [PATH, await createPage(html, POLICY)],
    ...files.map(({ path, resource }) => [path, resource] as const),
  ]);
}

function toOptions(examples: readonly ExampleOperation[], credential: string) {
  const headers = JSON.stringify({ Authorization: `Bearer ${credential}` }, null, 2);
  return {
    defaultHeaders: headers,
    defaultTabs: examples.map(({ query, variables }) => ({ query, variables, headers })),
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: 'variables',
    credentials: 'same-origin',
  };
}

interface Page {
  readonly favicon: string;
  readonly style: string;
  readonly header: string;
  readonly options: object;
  readonly scripts: readonly string[];
}

function renderPage({ favicon, style, header, options, scripts }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tillgraph</title>
<link rel="icon" href="${favicon}">
<link rel="stylesheet" href="${style}">
</head>
<body id="body" class="no-focus-outline">
<noscript>GraphiQL needs JavaScript. You can send operations to this address without it.</noscript>
${header}
<div id="root"></div>
<script type="application/json" id="options">${JSON.stringify(options).replaceAll('<', '\\u003c')}</script>
${scripts.map((script) => `<script src="${script}"></script>`).join('\n')}
</body>
</html>
`;
}
