import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { packageFile } from '../../../../package-files.ts';
import { wantsPage } from '../../accept.ts';
import {
  addressOf,
  createPage,
  createPageFile,
  ICON,
  joinAssets,
  type Resource,
} from '../page-files.ts';
import type { Pages } from '../serve-pages.ts';
import { FOLDER, readGraphiqlBundle } from './graphiql-bundle.ts';
import { renderHeader } from './header.ts';

const PATH = '/graphql';

/** In the order in which they apply. */
const STYLES = ['graphiql.css', 'export.css', 'phone.css'];
const SCRIPTS_BEFORE = ['before-start.js'];
/** In the order in which they run. */
const SCRIPTS_AFTER = ['start.js', 'header.js', 'export.js'];

/** The webhook URL in the example operations, which is right with the usual ports. */
const USUAL_INBOX = 'http://127.0.0.1:2226/inbox/demo';

/** GraphiQL sets inline styles, and has its fonts and images in its style sheet. */
const POLICY = {
  'script-src': "'self'",
  'worker-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'font-src': 'data:',
  'img-src': 'data:',
  'connect-src': "'self'",
};

/** What is filled in. */
interface Given {
  /** The key; only that of the sandbox's demo app. */
  readonly demoKey: string | undefined;
  /** The control interface of the sandbox, if there is one. */
  readonly controlUrl: string | undefined;
  /** Whether clients send tokens. */
  readonly tokens: boolean;
}

/** GraphiQL, served without other hosts, with the example operations as tabs and a header. */
export function graphiql(given: Given): Pages {
  return {
    matches: ({ method, headers }, path) =>
      path === PATH || path === `${PATH}/`
        ? method === 'GET' && wantsPage(headers.accept)
        : path.startsWith(`${FOLDER}/`),
    load: () => createResources(given),
  };
}

async function createResources({ demoKey, controlUrl, tokens }: Given) {
  const ownCredential = tokens ? 'TOKEN' : 'KEY';
  const [bundle, style, before, after] = await Promise.all([
    readGraphiqlBundle(),
    createPageFile(FOLDER, 'css', joinAssets('graphiql', STYLES)),
    createPageFile(FOLDER, 'js', joinAssets('graphiql', SCRIPTS_BEFORE)),
    createPageFile(FOLDER, 'js', joinAssets('graphiql', SCRIPTS_AFTER)),
  ]);
  const { editor, json, graphql } = bundle;
  const workers = {
    editorWorkerService: addressOf(editor),
    json: addressOf(json),
    graphql: addressOf(graphql),
  };
  const webhookUrl = controlUrl ? `${controlUrl}/inbox/demo` : 'https://example.com/hook';
  const examples = readExampleOperations().map((example) => ({
    ...example,
    variables: example.variables.replace(USUAL_INBOX, webhookUrl),
  }));
  const html = renderPage({
    styles: [bundle.style, style].map(addressOf),
    header: renderHeader(
      examples.map(({ group }) => group),
      demoKey === undefined ? ownCredential : 'DEMO_KEY',
    ),
    options: {
      workers,
      bundle: addressOf(bundle.script),
      graphiql: toOptions(examples, demoKey ?? (tokens ? '<token>' : '<key of your app>')),
    },
    scripts: [before, bundle.script, after].map(addressOf),
  });
  const files = [...Object.values(bundle), style, before, after];
  return new Map<string, Resource>([
    [PATH, await createPage(html, POLICY)],
    ...files.map(({ path, resource }) => [path, resource] as const),
  ]);
}

function toOptions(examples: readonly ExampleOperation[], credential: string) {
  const headers = JSON.stringify({ Authorization: `Bearer ${credential}` }, null, 2);
  return {
    defaultHeaders: headers,
    // Otherwise, it sends subscriptions with GET.
    method: 'POST',
    defaultTabs: examples.map(({ query, variables }) => ({ query, variables, headers })),
    shouldPersistHeaders: false,
    title: 'GraphiQL',
    defaultEditorToolsVisibility: 'variables',
    credentials: 'same-origin',
  };
}

interface Page {
  readonly styles: readonly string[];
  readonly header: string;
  readonly options: object;
  readonly scripts: readonly string[];
}

function renderPage({ styles, header, options, scripts }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tillgraph: GraphiQL</title>
<link rel="icon" href="${ICON}">
${styles.map((style) => `<link rel="stylesheet" href="${style}">`).join('\n')}
</head>
<body id="body" class="no-focus-outline">
<noscript>GraphiQL needs JavaScript. You can send operations to this address without it.</noscript>
${header}
<main id="root"></main>
<script type="application/json" id="options">${JSON.stringify(options).replaceAll('<', '\\u003c')}</script>
${scripts.map((script) => `<script src="${script}"></script>`).join('\n')}
</body>
</html>
`;
}

/** An example operation: a file of `schema/operations`, with its variables in a JSON file beside it. */
export interface ExampleOperation {
  /** File name without its ending. Examples are shown in the order of their names. */
  readonly name: string;
  /** The group under which GraphiQL shows it: its first line. */
  readonly group: string;
  readonly query: string;
  /** JSON text; `{}` if there are none. */
  readonly variables: string;
}

const folder = packageFile('schema/operations/');

/** Reads the example operations, in the order of their names. */
export function readExampleOperations(): ExampleOperation[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.graphql'))
    .sort()
    .map((file) => {
      const name = file.replace(/\.graphql$/, '');
      const variables = new URL(`${name}.json`, folder);
      const query = readFileSync(new URL(file, folder), 'utf8');
      return {
        name,
        group: /^# (.+)/.exec(query)?.[1] ?? name,
        query,
        variables: existsSync(variables) ? readFileSync(variables, 'utf8').trim() : '{}',
      };
    });
}
