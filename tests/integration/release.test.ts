import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  findDisagreements,
  findNotes,
  findUnreleased,
  IMAGES,
  parseVersion,
} from '../../scripts/release/read-release.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const { version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  version: string;
};
let copy: string;

beforeAll(() => {
  copy = fs.mkdtempSync(path.join(os.tmpdir(), 'release-'));
  const names = fs.globSync(
    [
      'package.json',
      '{apps,packages}/*/package.json',
      'bench/package.json',
      'deploy/helm/*/Chart.yaml',
      'docker/{compose,compose.minio}.yaml',
      'docker/*.Dockerfile',
      '.env.example',
      '{CHANGELOG,UPGRADING}.md',
    ],
    { cwd: root },
  );
  for (const name of names) {
    fs.cpSync(path.join(root, name), path.join(copy, name));
  }
});

afterAll(() => fs.rmSync(copy, { recursive: true }));

test('version, changelog, upgrade notes, chart, compose file and images of this release agree', () => {
  expect(findDisagreements(root, version)).toEqual([]);
});

test('a release is refused that one of its files does not know, and each of them is named', () => {
  expect(findDisagreements(copy, '9.8.7').length).toBeGreaterThan(12);
  const file = path.join(copy, 'deploy/helm/image-gateway/Chart.yaml');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/^version: .+$/m, 'version: 0.0.1'));
  expect(findDisagreements(copy, version)).toEqual([
    'deploy/helm/image-gateway/Chart.yaml says version 0.0.1',
  ]);
  fs.cpSync(path.join(root, 'deploy/helm/image-gateway/Chart.yaml'), file);
  // One of several places.
  const compose = path.join(copy, 'docker/compose.minio.yaml');
  fs.writeFileSync(
    compose,
    fs.readFileSync(compose, 'utf8').replace(`IMAGE_VERSION:-${version}`, 'IMAGE_VERSION:-0.0.1'),
  );
  expect(findDisagreements(copy, version)).toEqual([
    'docker/compose.minio.yaml names the IMAGE_VERSION 0.0.1',
  ]);
});

test('a tag that is not there, or not annotated, is no release', () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [path.join(root, 'scripts/release/check-release.mjs'), 'v0.0.1'],
    { encoding: 'utf8' },
  );
  expect(status).toBe(1);
  expect(stderr).toMatch(/v0\.0\.1 is no annotated tag here|package\.json says/);
  expect(() => parseVersion('latest')).toThrow('no version');
});

test('a version that the notes call unreleased is no release, until they have its date', () => {
  for (const name of ['CHANGELOG.md', 'UPGRADING.md']) {
    fs.writeFileSync(path.join(copy, name), `# Notes\n\n## ${version} (unreleased)\n\n- new\n`);
  }
  expect(findUnreleased(copy, version)).toEqual([
    `CHANGELOG.md calls ${version} unreleased`,
    `UPGRADING.md calls ${version} unreleased`,
  ]);
  for (const name of ['CHANGELOG.md', 'UPGRADING.md']) {
    fs.writeFileSync(path.join(copy, name), `# Notes\n\n## ${version} (2026-12-01)\n\n- new\n`);
  }
  expect(findUnreleased(copy, version)).toEqual([]);
});

test('the page of a release holds its part of the changelog only', () => {
  const changelog =
    '# Changelog\n\n## Unreleased\n\n- new\n\n## 0.3.0 (2026-12-01)\n\n- good\n\n## 0.2.0\n\n- old\n';
  expect(findNotes(changelog, '0.3.0')).toBe('- good');
  expect(findNotes(changelog, '0.4.0')).toBeNull();
});

test('the compose files pull only images that a release publishes', () => {
  const read = (name: string): string => fs.readFileSync(path.join(root, 'docker', name), 'utf8');
  const pulled = [
    ...`${read('compose.yaml')}${read('compose.minio.yaml')}`.matchAll(
      /image: \$\{IMAGE_REGISTRY:[^}]+\}\/([a-z-]+):/g,
    ),
  ].map(([, name = '']) => name);
  expect(new Set(pulled).size).toBe(6);
  expect(pulled.filter((pull) => !IMAGES.some(({ name }) => name === pull))).toEqual([]);
});
