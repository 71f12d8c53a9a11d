import { join } from 'node:path';
import { FILES, hashFile, type Manifest, readLines, type SavedFile } from './manifest.js';

/** Files of a backup against their checksums. */
export interface VerifiedFiles {
  readonly checked: number;
  /** Number of files that are missing, or have other bytes. */
  readonly damaged: number;
  /** Paths of some of them. */
  readonly paths: readonly string[];
}

const SHOWN = 10;

/** Reads every file of a backup and compares it with its checksum. */
export async function verifyFiles(
  folder: string,
  manifest: Manifest,
  { onBytes }: { readonly onBytes: (bytes: number) => void },
): Promise<VerifiedFiles> {
  let [checked, damaged] = [0, 0];
  const paths: string[] = [];
  for await (const { path, bytes, sha256 } of listFiles(folder, manifest)) {
    const found = await hashFile(join(folder, path), onBytes).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'EISDIR') {
        return null;
      }
      throw error;
    });
    checked += 1;
    if (found?.bytes !== bytes || found.sha256 !== sha256) {
      damaged += 1;
      paths.push(...(paths.length < SHOWN ? [path] : []));
    }
  }
  return { checked, damaged, paths };
}

async function* listFiles(folder: string, { kind, files }: Manifest): AsyncGenerator<SavedFile> {
  yield* files;
  if (kind === 'folder') {
    for await (const file of readLines<SavedFile>(join(folder, FILES.contents))) {
      yield { ...file, path: `${FILES.folder}/${file.path}` };
    }
  }
}
