import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type GraphQLSchema, introspectionFromSchema } from 'graphql';
import { readAsset } from './asset.ts';
import { createPage, createPageFile, type Resource } from './page-files.ts';
import type { Pages } from './serve-pages.ts';

const require = createRequire(import.meta.url);

const PATH = '/schema';

/** Voyager runs Graphviz as WebAssembly, in a worker from a blob, and sets inline styles. */
const POLICY = {
  'script-src': "'self' 'wasm-unsafe-eval'",
  'worker-src': 'blob:',
  'style-src': "'self' 'unsafe-inline'",
  'img-src': 'data:',
};

/**
 * `/schema`: an HTML page with the types as a diagram. The page contains the schema, so it
 * needs no key, and the gateway serves all of its files, so no other host is called.
 */
export function schemaDiagram(schema: GraphQLSchema): Pages {
  return {
    matches: (_request, path) => path === PATH || path.startsWith(`${PATH}/`),
    load: () => createResources(schema),
  };
}

/** The HTML page and the files that it loads, by path. */
async function createResources(schema: GraphQLSchema): Promise<Map<string, Resource>> {
  const voyagerStyle = readFileSync(require.resolve('graphql-voyager/dist/voyager.css'), 'utf8');
  const bundle = require.resolve('graphql-voyager/dist/voyager.standalone.js');
  const [style, voyager, start] = await Promise.all([
    createPageFile(PATH, 'css', voyagerStyle + readAsset('diagram.css')),
    createPageFile(PATH, 'js', readFileSync(bundle, 'utf8')),
    createPageFile(PATH, 'js', renderOptions(schema) + readAsset('diagram.js')),
  ]);
  const page = await createPage(renderPage(style.path, [voyager.path, start.path]), POLICY);
  const files = [style, voyager, start].map(({ path, resource }) => [path, resource] as const);
  return new Map([[PATH, page], ...files]);
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
