import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { findRelease, repositoryRoot } from '@image-gateway/testing';

/** A built release. */
export interface Release {
  readonly name: 'old' | 'new';
  readonly root: string;
}

/** The previous release, or the reason why it cannot be had here. */
export type Prepared = { readonly release: Release; readonly commit: string } | { readonly missing: string };

/**
 * Checks a release out of git into `.cache/releases/<commit>` and builds it with its own scripts, unless it stands there.
 * A version of docs/releases.md or a commit names it, null is the last release. Throws Error when the release cannot be built.
 */
export function prepareRelease(from: string | null): Prepared {
  const found = findRelease(from);
  if ('missing' in found) {
    return found;
  }
  const { commit } = found;
  const folder = path.join(repositoryRoot(), '.cache/releases', commit);
  if (!existsSync(folder)) {
    const parent = path.dirname(folder);
    mkdirSync(parent, { recursive: true });
    const partial = mkdtempSync(path.join(parent, 'partial-'));
    chmodSync(partial, 0o755);
    try {
      found.extract(partial);
    } catch (error) {
      rmSync(partial, { recursive: true });
      throw error;
    }
    // Renamed when it is whole: an interrupted run leaves nothing that looks like a release.
    renameSync(partial, folder);
  }
  const built = spawnSync(process.execPath, ['scripts/prepare.mjs'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (built.status !== 0) {
    throw new Error(`the previous release could not be built in ${folder}`);
  }
  return { release: { name: 'old', root: folder }, commit };
}
