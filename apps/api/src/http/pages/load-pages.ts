import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A file of the built pages, as it goes out. */
export interface PageFile {
  readonly bytes: Buffer;
  /** Compressed with gzip; null where that gains nothing. */
  readonly zipped: Buffer | null;
  readonly type: string;
  readonly etag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
const compress = promisify(gzip);

/** Reads the built pages into memory, by their path below `folder`; empty when they were not built. Files of other kinds are left out. */
export async function loadPages(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ifMissing);
  const files = entries.filter((entry) => entry.isFile() && path.extname(entry.name) in TYPES);
  const loaded = await Promise.all(
    files.map(async (entry): Promise<[string, PageFile]> => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(folder, file).split(path.sep).join('/'), await loadFile(file)];
    }),
  );
  return new Map(loaded);
}

async function loadFile(file: string): Promise<PageFile> {
  const bytes = await readFile(file);
  const type = TYPES[path.extname(file)] ?? '';
  const zipped = /^text|svg|json/.test(type) ? await compress(bytes, { level: 9 }) : null;
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
  return { bytes, type, etag, zipped: zipped && zipped.length < bytes.length ? zipped : null };
}

function ifMissing(error: unknown): never[] {
  if ((error as { code?: unknown }).code === 'ENOENT') {
    return [];
  }
  throw error;
}
