import { execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { listReleases, repositoryRoot } from '@image-gateway/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { prepareRelease } from '../upgrade/prepare-release.js';

const hasGit = spawnSync('git', ['--version']).status === 0;
const UNKNOWN = '0'.repeat(40);
const before = process.env.RELEASES_REPOSITORY;
let folder: string;

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'releases-'));
  process.env.RELEASES_REPOSITORY = folder;
});
afterEach(() => {
  fs.rmSync(folder, { recursive: true });
  if (before === undefined) {
    delete process.env.RELEASES_REPOSITORY;
  } else {
    process.env.RELEASES_REPOSITORY = before;
  }
});

describe('the table of releases', () => {
  test('the table of releases names the version and the whole commit of each release, the newest first', () => {
    const text = fs.readFileSync(path.join(repositoryRoot(), 'docs/releases.md'), 'utf8');
    const rows = [...text.matchAll(/^\| *(\d\S*) *\| *(\S+) *\|$/gm)];
    expect(rows.length).toBeGreaterThan(0);
    for (const [, version, commit] of rows) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
      expect(commit).toMatch(/^`[0-9a-f]{40}`$/);
    }
    const versions = rows.map(([, version = '']) => version);
    const newestFirst = [...versions].sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
    expect(versions).toEqual(newestFirst);
  });
});

(hasGit ? describe : describe.skip)('the previous release', () => {
  test('the table of releases is missing, with the reason, where there is no git repository', () => {
    expect(prepareRelease(null)).toEqual({ missing: `${folder} is not a git repository` });
  });

  test('the previous release is found by its version in the table of releases', () => {
    const [{ version, commit }] = listReleases();
    execFileSync('git', ['init', '-q', folder]);
    const missing = { missing: `commit ${commit} is not in the history of ${folder}` };
    expect([prepareRelease(version), prepareRelease(null)]).toEqual([missing, missing]);
  });

  test('the table of releases is missing, with the reason, in a clone without its commit', () => {
    execFileSync('git', ['init', '-q', folder]);
    expect(prepareRelease(UNKNOWN)).toEqual({
      missing: `commit ${UNKNOWN} is not in the history of ${folder}`,
    });
  });
});
