import { spawnSync } from 'node:child_process';
import { usageError } from '../options/parse-options.mjs';
import { findImporters, readImportGraph } from './import-graph.mjs';
import { TESTS_BY_FOLDER } from './tests-by-folder.mjs';

const FOLDERS = ['apps', 'packages', 'bench', 'tests', 'scripts', 'clients'];

/**
 * Returns the test files that a change of files reaches: by their imports, and by the table of folders.
 * @param {readonly string[]} names all test files
 * @param {readonly string[]} changed paths from the root
 * @param {Map<string, Set<string>>} graph
 * @returns {string[]}
 */
export function findReached(names, changed, graph) {
  const importers = findImporters(graph, changed);
  const listed = Object.entries(TESTS_BY_FOLDER)
    .filter(([folder]) => changed.some((file) => file.startsWith(`${folder}/`)))
    .flatMap(([, tests]) => tests)
    .map((test) => (test.includes('/') ? test : `tests/acceptance/${test}.test.ts`));
  return names.filter((name) => importers.has(name) || listed.some((start) => name.startsWith(start)));
}

/** Returns the files that differ from a revision, those that Git does not know yet included. */
function listChanged(root, revision) {
  const ask = (...args) => {
    const { status, stdout, stderr, error } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    if (status !== 0) {
      const why = error?.message ?? stderr.trim();
      throw usageError(
        `--changed compares with a revision of Git: ${why}`,
        'npm test -- --changed [REVISION]',
      );
    }
    return stdout.split('\n').filter((line) => line !== '');
  };
  return [
    ...ask('diff', '--name-only', '--relative', revision, '--'),
    ...ask('ls-files', '--others', '--exclude-standard'),
  ];
}

/**
 * Returns the test files that the changes since a revision reach, and says how many there are.
 * @param {string} root
 * @param {readonly string[]} names all test files
 * @param {string} revision
 * @returns {string[]}
 */
export function selectChanged(root, names, revision) {
  const changed = listChanged(root, revision);
  const reached = findReached(names, changed, readImportGraph(root, FOLDERS));
  console.log(`${changed.length} files differ from ${revision}, which ${reached.length} test files reach.`);
  return reached;
}
