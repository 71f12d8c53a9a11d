import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from './repository-root.js';

/** A row of docs/releases.md. */
interface NamedRelease {
  readonly version: string;
  readonly commit: string;
}

/** A commit of the history. */
interface Found {
  readonly commit: string;
  /** Writes its files below these paths, or all of them, into a folder that exists. Throws Error when that fails. */
  readonly extract: (folder: string, ...paths: string[]) => void;
}

const MAX_OUTPUT_BYTES = 512 * 1024 * 1024;

/**
 * Finds a release in git, or says why it cannot be had here. History is read from RELEASES_REPOSITORY, else from this checkout. `from` is a
 * version of docs/releases.md or a commit, null for the last release.
 */
export function findRelease(from: string | null): Found | { readonly missing: string } {
  const repository = process.env.RELEASES_REPOSITORY ?? repositoryRoot();
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
  return {
    commit,
    extract: (folder, ...paths) => {
      const archive = git('archive', commit, ...paths);
      const { status } = spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout, stdio: 'pipe' });
      if (archive.status !== 0 || status !== 0) {
        throw new Error(`commit ${commit} could not be checked out: ${archive.stderr.toString()}`);
      }
    },
  };
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
