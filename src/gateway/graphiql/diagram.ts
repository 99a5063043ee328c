import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type GraphQLSchema, introspectionFromSchema } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { readAsset } from './asset.ts';

const require = createRequire(import.meta.url);

interface Resource {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const PATH = '/schema';
const ONE_YEAR_S = 31_536_000;

/** Voyager runs Graphviz as WebAssembly, in a worker from a blob, and sets inline styles. */
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
 * Serves `/schema`: an HTML page with the types as a diagram. The page contains the schema,
 * so it needs no key, and the gateway serves all of its files, so no other host is called.
 */
export function schemaDiagram(schema: GraphQLSchema): Plugin {
  let resources: ReadonlyMap<string, Resource> | undefined;
  return {
    onRequest: ({ request, url, endResponse, fetchAPI: { Response } }) => {
      if (url.pathname !== PATH && !url.pathname.startsWith(`${PATH}/`)) return;
      resources ??= createResources(schema);
      const found = resources.get(url.pathname);
      if (found === undefined) {
        endResponse(new Response('Not found.', { status: 404 }));
      } else if (request.method !== 'GET' && request.method !== 'HEAD') {
        endResponse(new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } }));
      } else {
        endResponse(new Response(found.body, { headers: found.headers }));
      }
    },
  };
}

/** The HTML page and the files that it loads, by path. */
function createResources(schema: GraphQLSchema): ReadonlyMap<string, Resource> {
  const voyagerStyle = readFileSync(require.resolve('graphql-voyager/dist/voyager.css'), 'utf8');
  const style = createAsset('css', voyagerStyle + readAsset('diagram.css'));
  const bundle = require.resolve('graphql-voyager/dist/voyager.standalone.js');
  const voyager = createAsset('js', readFileSync(bundle, 'utf8'));
  const start = createAsset('js', renderOptions(schema) + readAsset('diagram.js'));
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

/** The path contains a digest of the content, so a browser can cache the file permanently. */
function createAsset(ending: 'css' | 'js', body: string): { path: string; resource: Resource } {
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

/** What `diagram.js` needs. Connections and edges would fill the diagram, so they are skipped. */
function renderOptions(schema: GraphQLSchema): string {
  const options = {
    introspection: { data: introspectionFromSchema(schema) },
    displayOptions: { skipRelay: true, rootType: schema.getQueryType()?.name },
  };
  return `const options = ${JSON.stringify(options)};\n`;
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
</head>
<body>
<header>
<h1>Tillgraph</h1>
<p>Click a type, a field or an arrow to read its description. Choose Mutation below to see the mutations.</p>
<a href="/graphql">Back to GraphiQL</a>
</header>
<main></main>
<noscript>The diagram needs JavaScript. The schema as text is in schema/schema.graphql.</noscript>
${scripts.map((script) => `<script src="${script}"></script>`).join('\n')}
</body>
</html>
`;
}
