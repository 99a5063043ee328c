import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { hashIdOf } from './document-id.ts';

/** A document as it is in a file, before any checks. */
export interface ManifestEntry {
  /** Name of the file. */
  readonly file: string;
  readonly id: string;
  readonly text: string;
}

/** The JSON of a larger file would block the process for too long while it is parsed. */
const MAX_FILE_BYTES = 16 * 1_024 ** 2;
const MAX_FILES = 20_000;
const ENDINGS = ['.graphql', '.gql', '.json'];

/**
 * The file of the code generator and that of Relay: the text of each document by its id. It is read
 * as entries, because a zod record drops the id `__proto__`.
 */
const textsById = z.array(z.tuple([z.string(), z.string()]));

/** The file of Apollo's `generate-persisted-query-manifest`. */
const apolloManifest = z.object({
  format: z.literal('apollo-persisted-query-manifest'),
  version: z.literal(1),
  operations: z.array(z.object({ id: z.string(), body: z.string() })),
});

/**
 * Reads a manifest, or all files of a folder that can contain documents: manifests, and files
 * with one document each, whose id is its hash. Throws a `ManifestError`.
 */
export async function readManifest(path: string): Promise<ManifestEntry[]> {
  try {
    const isFolder = (await stat(path)).isDirectory();
    const files = isFolder ? await listFiles(path) : [path];
    const entries: ManifestEntry[] = [];
    for (const file of files) entries.push(...(await readEntries(file, path)));
    if (entries.length > 0) return entries;
    const what = isFolder ? `no files with ${ENDINGS.join(', ')}, or no documents` : 'no documents';
    throw new ManifestError(path, [`There are ${what}. Generate them, or change the path.`]);
  } catch (error) {
    if (error instanceof ManifestError || !(error instanceof Error && 'code' in error)) throw error;
    throw new ManifestError(path, [
      `It cannot be read (${error.code}). Set PERSISTED_DOCUMENTS_PATH to a file or a folder that the gateway may read.`,
    ]);
  }
}

/** Lists files but not subfolders: a mounted volume keeps its earlier versions there. */
async function listFiles(folder: string): Promise<string[]> {
  const found = (await readdir(folder))
    .filter((name) => !name.startsWith('.') && ENDINGS.some((ending) => name.endsWith(ending)))
    .sort();
  const names: string[] = [];
  for (const name of found) {
    // The files of a mounted volume are symbolic links.
    if ((await stat(join(folder, name))).isFile()) names.push(name);
  }
  if (names.length <= MAX_FILES) return names.map((name) => join(folder, name));
  throw new ManifestError(folder, [
    `There are ${names.length} files. The limit is ${MAX_FILES}. Write the documents into manifests.`,
  ]);
}

async function readEntries(path: string, root: string): Promise<ManifestEntry[]> {
  const file = basename(path);
  const { size } = await stat(path);
  if (size > MAX_FILE_BYTES) {
    throw new ManifestError(root, [
      `${file} has ${size} bytes. The limit is ${MAX_FILE_BYTES}. Split it, and set PERSISTED_DOCUMENTS_PATH to a folder.`,
    ]);
  }
  const text = await readFile(path, 'utf8');
  if (!file.endsWith('.json')) return [{ file, id: hashIdOf(text), text }];
  const documents = readJson(text);
  if (documents !== undefined) return documents.map((document) => ({ file, ...document }));
  throw new ManifestError(root, [
    `${file} is not a manifest. It must be a JSON object with the text of each document by its id, or a manifest of Apollo. Generate it again.`,
  ]);
}

function readJson(text: string): { readonly id: string; readonly text: string }[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const apollo = apolloManifest.safeParse(value);
  if (apollo.success) return apollo.data.operations.map(({ id, body }) => ({ id, text: body }));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const plain = textsById.safeParse(Object.entries(value));
  return plain.data?.map(([id, one]) => ({ id, text: one }));
}

/** Maximum number of complaints shown for one manifest. */
const MAX_SHOWN = 10;

/** Thrown if documents cannot be used. Has one complaint, one or more sentences, for each. */
export class ManifestError extends Error {
  constructor(path: string, complaints: readonly string[]) {
    const more = complaints.length - MAX_SHOWN;
    super(
      [
        `The documents of PERSISTED_DOCUMENTS_PATH ${JSON.stringify(path)} cannot be used.`,
        ...complaints.slice(0, MAX_SHOWN),
        ...(more > 0 ? [`There are ${more} more problems.`] : []),
      ].join('\n'),
    );
    this.name = 'ManifestError';
  }
}
