import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ServerUser } from '../postgres/find-server-user.js';

/** File that was copied. */
export interface CopiedFile {
  /** Path below the copied folder, with `/` between its parts. */
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Ways of a copy. */
export interface CopyOptions {
  /** Returns whether a path below the folder is left out. */
  readonly isLeftOut: (path: string) => boolean;
  /** Returns whether a file is never written again, so that a link to it will do. */
  readonly isConstant?: (path: string) => boolean;
  /** User whom the copy shall belong to; null for the one who runs this. */
  readonly owner?: ServerUser | null;
  readonly signal: AbortSignal;
}

/** Copies files and folders with their modes, and yields each file. Sockets and the like are left out. */
export async function* copyTree(from: string, to: string, options: CopyOptions): AsyncGenerator<CopiedFile> {
  yield* copyFolder(from, to, '', options);
}

async function* copyFolder(
  from: string,
  to: string,
  below: string,
  options: CopyOptions,
): AsyncGenerator<CopiedFile> {
  const { isLeftOut, isConstant = () => false, owner = null, signal } = options;
  const own = (file: string): void => {
    if (owner !== null) {
      fs.chownSync(file, owner.uid, owner.gid);
    }
  };
  for (const entry of fs.readdirSync(path.join(from, below), { withFileTypes: true })) {
    signal.throwIfAborted();
    const name = below === '' ? entry.name : `${below}/${entry.name}`;
    const [source, target] = [path.join(from, name), path.join(to, name)];
    if (isLeftOut(name)) {
      continue;
    }
    if (entry.isDirectory()) {
      const { mode } = fs.statSync(source);
      fs.mkdirSync(target, { recursive: true });
      yield* copyFolder(from, to, name, options);
      fs.chmodSync(target, mode & 0o777);
      own(target);
    } else if (entry.isFile()) {
      if (!(isConstant(name) && link(source, target))) {
        yield { path: name, ...(await copyFile(source, target, signal)) };
        own(target);
      }
    }
  }
}

async function copyFile(
  source: string,
  target: string,
  signal: AbortSignal,
): Promise<Omit<CopiedFile, 'path'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  const { mode } = fs.statSync(source);
  await pipeline(
    fs.createReadStream(source),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    fs.createWriteStream(target, { mode: mode & 0o777 }),
    { signal },
  );
  return { bytes, sha256: hash.digest('hex') };
}

/** Returns whether a link could be made: not every file system has them, and none leads from one to another. */
function link(source: string, target: string): boolean {
  try {
    fs.linkSync(source, target);
    return true;
  } catch {
    return false;
  }
}
