import type { GraphQLSchema } from 'graphql';
import {
  addressOf,
  createPage,
  createPageFile,
  ICON,
  joinAssets,
  type Resource,
} from '../page-files.ts';
import type { Pages } from '../serve-pages.ts';
import { renderCard, renderFullCard } from './card.ts';
import { type Group, placeTypes } from './places.ts';
import { relationsOf } from './relations.ts';

const PATH = '/schema';

const POLICY = { 'script-src': "'self'", 'style-src': "'self'", 'img-src': 'data:' };

/**
 * `/schema`: an HTML page with the domain types as a diagram, and all other types folded below. The
 * page contains the schema, so it needs no key. Without scripts, only the arrows are missing.
 */
export function schemaDiagram(schema: GraphQLSchema): Pages {
  return {
    matches: (_request, path) => path === PATH || path.startsWith(`${PATH}/`),
    load: () => createResources(schema),
  };
}

/** The HTML page and the files that it loads, by path. */
async function createResources(schema: GraphQLSchema): Promise<Map<string, Resource>> {
  const [style, arrows] = await Promise.all([
    createPageFile(PATH, 'css', joinAssets('diagram', ['diagram.css'])),
    createPageFile(PATH, 'js', joinAssets('diagram', ['arrows.js'])),
  ]);
  const page = await createPage(renderPage(schema, addressOf(style), addressOf(arrows)), POLICY);
  return new Map([
    [PATH, page],
    [style.path, style.resource],
    [arrows.path, arrows.resource],
  ]);
}

function renderPage(schema: GraphQLSchema, style: string, script: string): string {
  const { columns, groups } = placeTypes(schema);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tillgraph: the schema as a diagram</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${style}">
</head>
<body>
<header>
<h1>Tillgraph: the schema</h1>
<p>The domain types and how they relate. All other types are folded below. <span class="wide">Point at a type to see its arrows.</span></p>
<a href="graphql">Back to GraphiQL</a>
</header>
<main>
<section class="diagram" aria-label="Types of the domain">
<svg aria-hidden="true"><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5.5" markerHeight="5.5" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z"/></marker></defs><g></g></svg>
${renderColumns(columns)}
</section>
${groups.map(renderGroup).join('\n')}
</main>
<script src="${script}"></script>
</body>
</html>
`;
}

function renderColumns(columns: ReturnType<typeof placeTypes>['columns']): string {
  const shown = new Set(columns.flat());
  const cards = (types: (typeof columns)[number]) =>
    types.map((type) => renderCard(type, relationsOf(type, shown))).join('\n');
  return columns.map((types) => `<div class="column">\n${cards(types)}\n</div>`).join('\n');
}

function renderGroup({ title, types }: Group): string {
  return `<details class="group"><summary>${title} <small>(${types.length})</small></summary>
<div class="cards">
${types.map(renderFullCard).join('\n')}
</div>
</details>`;
}
