import fs from 'node:fs';
import path from 'node:path';

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

function getProject(file) {
  if (/^tests\/acceptance\//.test(file)) {
    return 'acceptance';
  }
  return /^((apps|packages)\/[^/]+|bench)\/src\//.test(file) ? 'unit' : 'integration';
}

/**
 * Returns the Jest projects in which some test file matches one of the patterns (regular expressions over the path); all of them without a pattern.
 * @param {string} root
 * @param {string[]} patterns
 * @returns {Set<'unit' | 'integration' | 'acceptance'>}
 */
export function selectProjects(root, patterns) {
  const wanted = patterns.map((pattern) => new RegExp(pattern, 'i'));
  const files = ['apps', 'packages', 'bench', 'tests'].flatMap((folder) => {
    const base = path.join(root, folder);
    return fs.existsSync(base) ? [...testFiles(base)] : [];
  });
  const matching = files.filter(
    (file) => wanted.length === 0 || wanted.some((pattern) => pattern.test(file)),
  );
  return new Set(matching.map((file) => getProject(path.relative(root, file))));
}
