import fs from 'node:fs';
import path from 'node:path';
import { repositoryRoot } from '@image-gateway/testing';
import { describe, expect, test } from '@jest/globals';
import { findReached } from '../../scripts/testing/changed-tests.mjs';
import { readImportGraph } from '../../scripts/testing/import-graph.mjs';
import { listTests } from '../../scripts/testing/list-tests.mjs';
import { TESTS_BY_FOLDER } from '../../scripts/testing/tests-by-folder.mjs';

const root = repositoryRoot();
const names = listTests(root);
const graph = readImportGraph(root, ['apps', 'packages', 'bench', 'tests', 'scripts', 'clients']);
const reach = (...changed: string[]): string[] => findReached(names, changed, graph);

const foldersIn = (folder: string): string[] =>
  fs
    .readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${folder}/${name}`);

describe('--changed', () => {
  test('--changed reaches the tests of a file through doors of packages, and only those that import its name', () => {
    const reached = reach('packages/shared/src/domain/db/api-keys/find-api-key.ts');
    expect(reached).toContain('packages/shared/test/db/find-api-key.test.ts');
    expect(reached).toContain('apps/api/src/http/keys/authenticate.test.ts');
    expect(reached).not.toContain('apps/webhook-worker/src/dispatch/dispatch.test.ts');
  });

  test('--changed reaches acceptance tests by the folder of a file', () => {
    expect(reach('apps/api/src/openai/answers/create-turns.ts')).toEqual(
      expect.arrayContaining([
        'apps/api/src/openai/answers/create-turns.test.ts',
        'tests/acceptance/openai-clients.test.ts',
      ]),
    );
    expect(reach('docs/settings.md')).toContain('tests/integration/documents.test.ts');
  });

  test('--changed reaches a test that changed itself, and none for a file that nothing uses', () => {
    expect(reach('tests/acceptance/images.test.ts')).toEqual(['tests/acceptance/images.test.ts']);
    expect(reach('LICENSE')).toEqual([]);
  });

  test.each(
    ['api', 'dashboard', 'generation-worker', 'webhook-worker'].flatMap((app) => [
      ...foldersIn(`apps/${app}/src`),
    ]),
  )('--changed has acceptance tests for %s', (folder) => expectAcceptance(folder));

  test.each(foldersIn('packages/shared/src').flatMap(foldersIn))(
    '--changed has acceptance tests for %s',
    (folder) => expectAcceptance(folder),
  );

  test.each(Object.entries(TESTS_BY_FOLDER))('--changed knows only what exists: %s', (folder, tests) => {
    expect(fs.existsSync(path.join(root, folder))).toBe(true);
    const starts = tests.map((one) => (one.includes('/') ? one : `tests/acceptance/${one}.test.ts`));
    expect(starts.filter((start) => !names.some((name) => name.startsWith(start)))).toEqual([]);
  });
});

function expectAcceptance(folder: string): void {
  const listed = TESTS_BY_FOLDER[folder] ?? [];
  expect([folder, listed.filter((name) => !name.includes('/')).length > 0]).toEqual([folder, true]);
}
