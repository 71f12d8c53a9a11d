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
  const verify = async ({ path, bytes, sha256 }: SavedFile): Promise<void> => {
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
  };
  for (const file of manifest.files) {
    await verify(file);
  }
  // A damaged listing names no files.
  if (manifest.kind === 'folder' && damaged === 0) {
    for await (const file of readLines<SavedFile>(join(folder, FILES.contents))) {
      await verify({ ...file, path: `${FILES.folder}/${file.path}` });
    }
  }
  return { checked, damaged, paths };
}
