import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { packageFile } from '../../../package-files.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const ONE_YEAR_S = 31_536_000;

/** An HTML page, or a file that a page loads. */
export interface Resource {
  readonly headers: Readonly<Record<string, string>>;
  /** The gzipped body. */
  readonly gzipped: Buffer;
}

/** A file that a page loads, and its path. */
export interface PageFile {
  readonly path: string;
  readonly resource: Resource;
}

/**
 * The relative URL of a file for pages, because a reverse proxy may serve the gateway below another
 * path. Every page is in the root folder.
 */
export function addressOf({ path }: PageFile): string {
  return path.slice(1);
}

/**
 * Creates a file that pages load. Its path contains a digest of its content, so a browser can cache
 * it permanently.
 *
 * @param folder path of the folder, without a trailing slash
 */
export async function createPageFile(
  folder: string,
  ending: 'css' | 'js',
  content: string,
): Promise<PageFile> {
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return toPageFile(`${folder}/${digest}.${ending}`, await compress(content));
}

/** Creates a file that pages load from its path and its compressed content. */
export function toPageFile(path: string, gzipped: Buffer): PageFile {
  return {
    path,
    resource: {
      headers: {
        'content-type': `text/${path.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`,
        'cache-control': `public, max-age=${ONE_YEAR_S}, immutable`,
      },
      gzipped,
    },
  };
}

/** Creates an HTML page, which browsers revalidate each time. */
export async function createPage(
  html: string,
  policy: Readonly<Record<string, string>>,
): Promise<Resource> {
  return {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': Object.entries({ ...LEAST, ...policy })
        .map(([directive, sources]) => `${directive} ${sources}`)
        .join('; '),
    },
    gzipped: await compress(html),
  };
}

/** Forbids everything that a page does not allow. */
const LEAST = {
  'default-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

const decompressed = new WeakMap<Resource, Promise<Buffer>>();

/** Decompresses each body only once, however often it is requested. */
function plainOf(resource: Resource): Promise<Buffer> {
  const known = decompressed.get(resource);
  if (known !== undefined) return known;
  const plain = decompress(resource.gzipped);
  decompressed.set(resource, plain);
  return plain;
}

/** The headers and the body for a browser that accepts gzip, or for one that does not. */
export async function encode(resource: Resource, acceptsGzip: boolean) {
  const body = acceptsGzip ? resource.gzipped : await plainOf(resource);
  return {
    /** In small pieces, so that a slow client takes little memory. */
    body: Readable.from(slices(body)),
    headers: {
      ...resource.headers,
      ...(acceptsGzip ? { 'content-encoding': 'gzip' } : {}),
      'content-length': String(body.length),
      vary: 'accept, accept-encoding',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
  };
}

const SLICE_BYTES = 65_536;

function* slices(buffer: Buffer): Generator<Buffer> {
  for (let at = 0; at < buffer.length; at += SLICE_BYTES) {
    yield buffer.subarray(at, at + SLICE_BYTES);
  }
}

const folder = packageFile('src/gateway/http/pages/');

/** Reads style sheets or browser scripts of a page, and joins them in their order. */
export function joinAssets(page: string, names: readonly string[]): string {
  return names.map((name) => readFileSync(new URL(`${page}/${name}`, folder), 'utf8')).join('\n');
}

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#d60690"/><path d="M4 5h8M8 5v7" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>`;

/** The icon of the pages, as an address, so that no browser asks for `/favicon.ico`. */
export const ICON = `data:image/svg+xml,${encodeURIComponent(SVG)}`;

/** A string as the content of an element or of an attribute in double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
