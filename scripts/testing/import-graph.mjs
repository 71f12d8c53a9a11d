import fs from 'node:fs';
import path from 'node:path';

const skipped = new Set(['node_modules', 'dist', '.cache', '.data', '.git', 'coverage', 'generated']);
const SOURCE = /\.(ts|tsx|mjs|cjs)$/;
// import a, { b } from 'x' · export { c } from 'x' · export * from 'x' · import 'x' · import('x')
const IMPORTS = new RegExp(
  [
    /(?:^|\n|;)\s*(import|export)\s+(type\s)?([^'"`;=()]*?)\sfrom\s+['"]([^'"]+)['"]/,
    /(?:^|\n)import\s+['"]([^'"]+)['"]/,
    /\bimport\(\s*['"]([^'"]+)['"]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

function* sourceFiles(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory() && !skipped.has(entry.name)) {
      yield* sourceFiles(file);
    } else if (entry.isFile() && SOURCE.test(entry.name)) {
      yield file;
    }
  }
}

/** Names in braces that exist when the program runs, as [name there, name here]; null when all of the module is meant. */
function readNames(clause) {
  const braces = /\{([^}]*)\}/.exec(clause)?.[1];
  if (braces === undefined || !/^\s*\{/.test(clause)) {
    return null;
  }
  const names = braces.split(',').map((name) => name.trim());
  return names
    .filter((name) => name !== '' && !/^type\s/.test(name))
    .map((name) => name.split(/\s+as\s+/))
    .map(([there, here = there]) => [there, here]);
}

/** Imports of a source text; those of types alone are left out, since nothing of them is there when a test runs. */
function readImports(text) {
  return [...text.matchAll(IMPORTS)].flatMap(([, word, isType, clause, from, bare, dynamic]) => {
    const names = from === undefined ? null : readNames(clause);
    return isType || names?.length === 0
      ? []
      : [{ specifier: from ?? bare ?? dynamic, names, isExport: word === 'export' }];
  });
}

/** Entries of the packages of this repository, by the name that an import says. */
function readPackages(root) {
  const entries = new Map();
  for (const folder of ['packages', 'clients'].map((name) => path.join(root, name))) {
    for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
      const file = path.join(folder, name, 'package.json');
      const { name: packageName, exports: doors = {} } = fs.existsSync(file)
        ? JSON.parse(fs.readFileSync(file, 'utf8'))
        : {};
      for (const [door, conditions] of Object.entries(doors)) {
        const source = conditions['@image-gateway/source'] ?? './src/index.ts';
        entries.set(path.posix.join(packageName, door), path.join(folder, name, source));
      }
    }
  }
  return entries;
}

/**
 * Reads which source files import which when they run. A file that only hands on the exports of others is looked through. An import of
 * one name depends on the file of that name alone.
 * @param {string} root
 * @param {readonly string[]} folders relative to it
 * @returns {Map<string, Set<string>>} paths from the root, each with those that it imports
 */
export function readImportGraph(root, folders) {
  const files = folders
    .map((folder) => path.join(root, folder))
    .filter((folder) => fs.existsSync(folder))
    .flatMap((folder) => [...sourceFiles(folder)]);
  const known = new Set(files);
  const packages = readPackages(root);
  const resolve = (from, specifier) => {
    const base = specifier.startsWith('.')
      ? path.resolve(path.dirname(from), specifier)
      : packages.get(specifier);
    const forms =
      base === undefined ? [] : [base, base.replace(/\.js$/, '.ts'), base.replace(/\.js$/, '.tsx')];
    return forms.find((form) => known.has(form));
  };
  const imports = new Map(
    files.map((file) => [
      file,
      readImports(fs.readFileSync(file, 'utf8')).flatMap((one) => {
        const target = resolve(file, one.specifier);
        return target === undefined ? [] : [{ ...one, target }];
      }),
    ]),
  );
  const follow = (target, name) => {
    const next = imports
      .get(target)
      .find(({ isExport, names }) => isExport && names?.some(([, here]) => here === name));
    return next === undefined ? target : follow(next.target, next.names.find(([, here]) => here === name)[0]);
  };
  return new Map(
    files.map((file) => {
      const targets = imports
        .get(file)
        .flatMap(({ target, names }) => names?.map(([there]) => follow(target, there)) ?? [target]);
      return [path.relative(root, file), new Set(targets.map((target) => path.relative(root, target)))];
    }),
  );
}

/**
 * Returns the files from which an import leads to one of the given files, and these themselves.
 * @param {Map<string, Set<string>>} graph
 * @param {readonly string[]} changed
 * @returns {Set<string>}
 */
export function findImporters(graph, changed) {
  const reached = new Set(changed);
  for (let size = 0; size < reached.size; ) {
    size = reached.size;
    for (const [file, targets] of graph) {
      if (!reached.has(file) && [...targets].some((target) => reached.has(target))) {
        reached.add(file);
      }
    }
  }
  return reached;
}
