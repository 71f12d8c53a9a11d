import fs from 'node:fs';
import path from 'node:path';

const FOLDERS = ['apps', 'packages', 'bench', 'tests'];
const skipped = new Set(['node_modules', 'dist', '.cache', '.data', '.git', 'coverage']);

function* testFiles(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory() && !skipped.has(entry.name)) {
      yield* testFiles(file);
    } else if (entry.isFile() && entry.name.endsWith('.test.ts')) {
      yield file;
    }
  }
}

/**
 * Returns the paths of all test files below a root, relative to it.
 * @param {string} root
 * @returns {string[]}
 */
export function listTests(root) {
  const folders = FOLDERS.map((folder) => path.join(root, folder)).filter((folder) => fs.existsSync(folder));
  return folders.flatMap((folder) => [...testFiles(folder)]).map((file) => path.relative(root, file));
}

/**
 * Returns the Jest project of a test file.
 * @param {string} name path from the root
 * @returns {'unit' | 'integration' | 'acceptance'}
 */
export function getProject(name) {
  if (/^tests\/acceptance\//.test(name)) {
    return 'acceptance';
  }
  return /^((apps|packages)\/[^/]+|bench)\/src\//.test(name) ? 'unit' : 'integration';
}
