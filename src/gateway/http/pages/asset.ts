import { readFileSync } from 'node:fs';
import { packageFile } from '../../../package-files.ts';

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
