import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';

/** A built release. */
export interface Release {
  readonly name: 'old' | 'new';
  readonly root: string;
}

/** The previous release, or the reason why it cannot be had here. */
export type Prepared = { readonly release: Release; readonly commit: string } | { readonly missing: string };

const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;

/** A row of docs/releases.md. */
interface NamedRelease {
  readonly version: string;
  readonly commit: string;
}

/**
 * Checks a release out of git into `.cache/releases/<commit>` and builds it with its own scripts, unless it stands there.
 * History is read from RELEASES_REPOSITORY, else from this checkout. `from` is a version of docs/releases.md or a commit, null for the
 * last release. Throws Error when the release cannot be built.
 */
export function prepareRelease(from: string | null): Prepared {
  const root = repositoryRoot();
  const repository = process.env.RELEASES_REPOSITORY ?? root;
  // The repository of a CI run may belong to another user; nothing is written to it.
  const git = (...args: string[]) =>
    spawnSync('git', ['--no-optional-locks', '-C', repository, '-c', 'safe.directory=*', ...args], {
      maxBuffer: MAX_OUTPUT_BYTES,
    });
  if (git('--version').status !== 0) {
    return { missing: 'git is not installed' };
  }
  if (git('rev-parse', '--git-dir').status !== 0) {
    return { missing: `${repository} is not a git repository` };
  }
  const releases = listReleases();
  const named = from === null ? releases[0] : releases.find(({ version }) => version === from);
  const wanted = named?.commit ?? String(from);
  const found = git('rev-parse', '--quiet', '--verify', `${wanted}^{commit}`);
  const commit = found.stdout.toString().trim();
  if (found.status !== 0) {
    return { missing: `commit ${wanted} is not in the history of ${repository}` };
  }

  const folder = path.join(root, '.cache/releases', commit);
  if (!existsSync(folder)) {
    const parent = path.dirname(folder);
    mkdirSync(parent, { recursive: true });
    const partial = mkdtempSync(path.join(parent, 'partial-'));
    chmodSync(partial, 0o755);
    const archive = git('archive', commit);
    const { status } = spawnSync('tar', ['-x', '-C', partial], { input: archive.stdout, stdio: 'pipe' });
    if (archive.status !== 0 || status !== 0) {
      rmSync(partial, { recursive: true });
      throw new Error(`commit ${commit} could not be checked out: ${archive.stderr.toString()}`);
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

/** Returns the rows of docs/releases.md, the newest first. */
export function listReleases(): [NamedRelease, ...NamedRelease[]] {
  const text = readFileSync(path.join(repositoryRoot(), 'docs/releases.md'), 'utf8');
  const rows = [...text.matchAll(/^\| *(\d+\.\d+\.\d+) *\| *`([0-9a-f]{40})` *\|$/gm)];
  const [last, ...others] = rows.map(([, version = '', commit = '']) => ({ version, commit }));
  if (last === undefined) {
    throw new Error('docs/releases.md has no row of the form | 1.2.3 | `<40 hex>` |');
  }
  return [last, ...others];
}
