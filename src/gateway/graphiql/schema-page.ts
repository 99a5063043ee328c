import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type GraphQLSchema, introspectionFromSchema } from 'graphql';
import type { Plugin } from 'graphql-yoga';

const require = createRequire(import.meta.url);

interface Resource {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const PATH = '/schema';
const ONE_YEAR_S = 31_536_000;

/** Voyager draws with Graphviz as WebAssembly, in a worker it makes itself, and styles as it goes. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  'worker-src blob:',
  "style-src 'self' 'unsafe-inline'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * `GET /schema`: the types as a diagram one can walk through. The schema comes with the
 * page, so nobody needs a key, and everything comes from here, so no other host is asked.
 */
export function schemaPage(schema: GraphQLSchema): Plugin {
  let resources: ReadonlyMap<string, Resource> | undefined;
  return {
    onRequest: ({ request, url, endResponse, fetchAPI: { Response } }) => {
      if (url.pathname !== PATH && !url.pathname.startsWith(`${PATH}/`)) return;
      resources ??= createResources(schema);
      const found = resources.get(url.pathname);
      if (found === undefined) {
        endResponse(new Response('There is nothing here.', { status: 404 }));
      } else if (request.method !== 'GET' && request.method !== 'HEAD') {
        endResponse(new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } }));
      } else {
        endResponse(new Response(found.body, { headers: found.headers }));
      }
    },
  };
}

/** The page and what it loads, by path. */
function createResources(schema: GraphQLSchema): ReadonlyMap<string, Resource> {
  const style = asset(
    'css',
    readFileSync(require.resolve('graphql-voyager/dist/voyager.css'), 'utf8'),
  );
  const bundle = require.resolve('graphql-voyager/dist/voyager.standalone.js');
  const voyager = asset('js', readFileSync(bundle, 'utf8'));
  const start = asset('js', renderStart(schema));
  const page: Resource = {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': POLICY,
    },
    body: renderPage(style.path, [voyager.path, start.path]),
  };
  const assets = [style, voyager, start].map(({ path, resource }) => [path, resource] as const);
  return new Map([[PATH, page], ...assets]);
}

/** Its address changes with its content, so a browser may keep it for good. */
function asset(ending: 'css' | 'js', body: string): { path: string; resource: Resource } {
  const digest = createHash('sha256').update(body).digest('hex').slice(0, 16);
  return {
    path: `${PATH}/${digest}.${ending}`,
    resource: {
      headers: {
        'content-type': `text/${ending === 'js' ? 'javascript' : 'css'}; charset=utf-8`,
        'cache-control': `public, max-age=${ONE_YEAR_S}, immutable`,
        'x-content-type-options': 'nosniff',
      },
      body,
    },
  };
}

/** Connections and edges would be most of the picture: Voyager shows their nodes instead. */
function renderStart(schema: GraphQLSchema): string {
  const options = {
    introspection: { data: introspectionFromSchema(schema) },
    displayOptions: { skipRelay: true, rootType: schema.getQueryType()?.name },
  };
  return `GraphQLVoyager.renderVoyager(document.querySelector('main'), ${JSON.stringify(options)});`;
}

function renderPage(style: string, scripts: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tillgraph: the schema as a diagram</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
<style>
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; font: 15px/1.4 system-ui, sans-serif; color: #3b4b68; }
header { display: flex; flex-wrap: wrap; gap: 0 24px; align-items: baseline; padding: 8px 16px; border-bottom: 1px solid #d5d9e0; }
h1 { font-size: 1.1em; margin: 0; }
header p { margin: 0; flex: 1; }
header a { color: #d60690; }
main { flex: 1; min-height: 0; }
</style>
</head>
<body>
<header>
<h1>Tillgraph</h1>
<p>Click a type, a field or an arrow to read about it. Choose Mutation below to see what can be changed.</p>
<a href="/graphql">Back to GraphiQL</a>
</header>
<main></main>
<noscript>The diagram is drawn by JavaScript. The same in words: schema/schema.graphql.</noscript>
${scripts.map((script) => `<script src="${script}"></script>`).join('\n')}
</body>
</html>
`;
}
