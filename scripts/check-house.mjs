#!/usr/bin/env node
// Counts what makes a change expensive. Fails when a count is above its ceiling in scripts/lint/house.json.
// With --record the counts become the ceilings. A higher one needs a reason in the commit.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parseOptions } from './options/parse-options.mjs';

const ROOT = path.resolve(import.meta.dirname, '..');
const CEILINGS = path.join(ROOT, 'scripts/lint/house.json');
const USAGE = `Usage: node scripts/check-house.mjs [--record] [--json]

  --record   writes the counts as the ceilings
  --json     prints the counts as JSON
  -h, --help prints this`;
const SMALL_LINES = 40;
const MAX_COLUMNS = 140;

const isProduct = (file) =>
  /^(apps|packages\/shared)\/.*\/?src\/.*\.tsx?$/.test(file) && !/\.test\.tsx?$|\/generated\//.test(file);
const read = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8');
const countLines = (text) => text.split('\n').length - 1;

/** Returns the modules of the product with the product's modules that import them. */
function listModules() {
  const cruiser = path.join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const options = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'apps', 'packages/shared'];
  const output = execFileSync(process.execPath, [cruiser, ...options], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  return JSON.parse(output)
    .modules.filter(({ source }) => isProduct(source))
    .map(({ source, dependents, dependencies }) => ({
      file: source,
      importers: dependents.filter(isProduct),
      isCircular: dependencies.some(({ circular }) => circular),
    }));
}

/** Counts everything; each count has the name that its ceiling has. */
function countHouse() {
  const modules = listModules();
  const texts = new Map(modules.map(({ file }) => [file, read(file)]));
  const lines = (file) => countLines(texts.get(file));
  const names = new Map();
  for (const { file } of modules) {
    const name = path.basename(file);
    if (!/^(index|main|env|compose|routes|commands|schema)\.tsx?$/.test(name)) {
      names.set(name, (names.get(name) ?? 0) + 1);
    }
  }
  const naming = (pattern) =>
    modules.filter(({ file }) => !/\/(providers|upstreams)\//.test(file) && pattern.test(texts.get(file)))
      .length;
  const sql = fs
    .readdirSync(path.join(ROOT, 'prisma/functions'))
    // The transitional file goes with the releases that it serves.
    .filter((file) => file !== 'transitional.sql')
    .map((file) => read(`prisma/functions/${file}`))
    .join('\n');
  const statements = fs.globSync('packages/shared/src/**/*.sql', { cwd: ROOT }).map(read);
  return {
    'lines of the product': [...texts.values()].reduce((sum, text) => sum + countLines(text), 0),
    'files of the product': modules.length,
    [`files under ${SMALL_LINES} lines with one importer`]: modules.filter(
      ({ file, importers }) => importers.length === 1 && lines(file) < SMALL_LINES,
    ).length,
    'file names that occur twice or more': [...names.values()].filter((count) => count > 1).length,
    'files in import circles': modules.filter(({ isCircular }) => isCircular).length,
    'SQL functions': sql.match(/^CREATE OR REPLACE FUNCTION/gm).length,
    'SQL triggers': sql.match(/^CREATE OR REPLACE TRIGGER/gm).length,
    [`lines over ${MAX_COLUMNS} characters`]: [...texts.values(), sql, ...statements]
      .flatMap((text) => text.split('\n'))
      .filter(({ length }) => length > MAX_COLUMNS).length,
    'files that name output_format': naming(/output_?format/i),
    'files that name negative_prompt': naming(/negative_?prompt/i),
    'files that name the cap of a month': naming(/cap_?month/i),
    'files that name the limit of failed tasks': naming(/max_?failed_?tasks/i),
    'files that name FACADE_MAX_WAIT': naming(/facade_?max_?wait/i),
  };
}

const options = parseOptions(USAGE, { options: { record: { type: 'boolean' }, json: { type: 'boolean' } } });
if (options !== null) {
  const counts = countHouse();
  if (options.values.record) {
    fs.writeFileSync(CEILINGS, `${JSON.stringify(counts, null, 2)}\n`);
  }
  const ceilings = JSON.parse(fs.readFileSync(CEILINGS, 'utf8'));
  // The size of the product is printed, and held by nobody: a new feature has lines.
  const isAbove = ([name, count]) => !/ of the product$/.test(name) && count > (ceilings[name] ?? 0);
  if (options.values.json) {
    console.log(JSON.stringify(counts));
  } else {
    for (const entry of Object.entries(counts)) {
      const [name, count] = entry;
      console.log(`${isAbove(entry) ? 'ABOVE ' : ''}${name}: ${count} (ceiling ${ceilings[name] ?? 0})`);
    }
  }
  if (Object.entries(counts).some(isAbove)) {
    console.error(
      'A count is above its ceiling. Lower it, or record it with its reason: node scripts/check-house.mjs --record',
    );
    process.exitCode = 1;
  }
}
