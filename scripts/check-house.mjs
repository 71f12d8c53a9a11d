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

const read = (file) => fs.readFileSync(path.join(ROOT, file), 'utf8');
const countLines = (text) => text.split('\n').length - 1;
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** Files of the product: what people write and maintain, without tests and what only tests use. */
const isProduct = (file) =>
  /^(apps|packages|scripts|prisma\/functions)\/.*\.(tsx?|mjs|cjs|js|sql|sh|css)$/.test(file) &&
  !/\.test\.tsx?$|\/(test|generated)\//.test(file) &&
  !file.startsWith('packages/testing/');
/** Modules that the dashboard, the API, the workers and what they share consist of. */
const isModule = (file) => isProduct(file) && /^(apps|packages\/shared)\/.*\/?src\/.*\.tsx?$/.test(file);
/** Adapters, protocols and stubs, which may name every field. */
const isAdapter = (file) => /(\/(providers|upstreams)\/|^packages\/stub-upstreams\/)/.test(file);

/** Counts lines without those that are blank or hold nothing but a comment. */
function countCode(text) {
  let isComment = false;
  return text.split('\n').filter((line) => {
    const words = line.trim().replace(/^\{(?=\/\*)/, '');
    isComment ||= words.startsWith('/*') && !words.startsWith('/*=');
    const counts = !isComment && words !== '' && !/^(\/\/|--|#!)/.test(words);
    isComment &&= !words.includes('*/');
    return counts;
  }).length;
}

/** Lists all files of the checkout that may count or stand beside. */
function listFiles() {
  const exclude = (file) => ['node_modules', 'dist', '.cache'].includes(path.basename(file));
  return fs
    .globSync('{apps,packages,prisma,scripts,tests}/**/*.*', { cwd: ROOT, exclude })
    .filter((file) => fs.statSync(path.join(ROOT, file)).isFile())
    .sort();
}

/** Returns all modules with their imports, as dependency-cruiser sees them. */
function cruise() {
  const cruiser = path.join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const options = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'apps', 'packages/shared'];
  const output = execFileSync(process.execPath, [cruiser, ...options], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  return JSON.parse(output).modules.filter(({ source }) => isModule(source));
}

/**
 * Lists the files of a submit from its route to the insert, as ARCHITECTURE.md names them. Throws for one that none of those before it
 * imports or reads, since a file is missing there.
 */
function listWay(modules) {
  const [, section = ''] = read('ARCHITECTURE.md').split('\n## Follow one submit\n');
  const [text] = section.split('\n## ');
  const named = [...text.matchAll(/`([\w./-]+\.(?:ts|sql))`/g)].map(([, file]) => file);
  const way = [...new Set(named)].slice(0, named.findIndex((file) => file.endsWith('insert-tasks.sql')) + 1);
  const imports = new Map(
    modules.map(({ source, dependencies }) => [source, dependencies.map(({ resolved }) => resolved)]),
  );
  const reaches = (from, file) => {
    const direct = imports.get(from) ?? [];
    return [from, ...direct.filter((one) => one.endsWith('/index.ts'))].some((one) =>
      (imports.get(one) ?? []).includes(file),
    );
  };
  const isNamedIn = (from, file) => read(from).includes(path.basename(file));
  const lost = way.find((file, place) => {
    const before = way.slice(0, place);
    return (
      place > 0 &&
      !before.some((from) => (file.endsWith('.sql') ? isNamedIn(from, file) : reaches(from, file)))
    );
  });
  if (way.length === 0 || lost !== undefined) {
    throw new Error(
      `ARCHITECTURE.md, "Follow one submit": no file before ${lost ?? 'the insert'} leads to it.`,
    );
  }
  return way;
}

/** Counts everything; each count has the name that its ceiling has. */
function countHouse() {
  const files = listFiles();
  const texts = new Map(files.filter(isProduct).map((file) => [file, read(file)]));
  const modules = cruise();
  const imports = modules.flatMap(({ dependencies }) => dependencies);
  const names = new Map();
  for (const { source } of modules) {
    const name = path.basename(source);
    if (!/^(index|main|env|compose|routes|commands|schema)\.tsx?$/.test(name)) {
      names.set(name, (names.get(name) ?? 0) + 1);
    }
  }
  const naming = (pattern, isLeftOut = () => false) =>
    [...texts].filter(
      ([file, text]) =>
        !file.startsWith('scripts/') && !isAdapter(file) && !isLeftOut(file) && pattern.test(text),
    ).length;
  // The transitional file goes with the releases that it serves.
  const functions = [...texts].filter(([file]) => /^prisma\/functions\/(?!transitional)/.test(file));
  const sql = functions.map(([, text]) => text).join('\n');
  const counts = {
    'lines of code of the product': sum([...texts.values()].map(countCode)),
    'files of the product': texts.size,
    [`files under ${SMALL_LINES} lines with one importer`]: modules.filter(
      ({ source, dependents }) =>
        dependents.filter(isModule).length === 1 && countLines(texts.get(source)) < SMALL_LINES,
    ).length,
    'file names that occur twice or more': [...names.values()].filter((count) => count > 1).length,
    'files in import circles': modules.filter(({ dependencies }) =>
      dependencies.some(({ circular }) => circular),
    ).length,
    'arrows up': imports.filter(({ rules = [] }) => rules.some(({ name }) => name !== 'no-circles')).length,
    'SQL functions': sql.match(/^CREATE OR REPLACE FUNCTION/gm).length,
    'SQL triggers': sql.match(/^CREATE OR REPLACE TRIGGER/gm).length,
    [`lines over ${MAX_COLUMNS} characters`]: [...texts.values()]
      .flatMap((text) => text.split('\n'))
      .filter(({ length }) => length > MAX_COLUMNS).length,
    'files of a submit from its route to the insert': listWay(modules).length,
    // A file that only asks the table of prices (`findPurchase`) judges nothing itself.
    'places that judge quality': naming(
      /(price|cost)Micros\[|\.quality\.includes|\bpreferredQualities\b|chooseQuality\(/,
    ),
    'files that name output_format': naming(/output_?format/i),
    'files that name negative_prompt': naming(/negative_?prompt/i),
    'files that name the cap of a month': naming(/cap_?month/i, (file) => file.endsWith('/judge-submit.sql')),
    'files that name the limit of failed tasks': naming(/max_?failed_?tasks/i),
    'files that name FACADE_MAX_WAIT': naming(/facade_?max_?wait/i),
  };
  const countLinesIn = (pattern) =>
    sum(files.filter((file) => pattern.test(file)).map((file) => countLines(read(file))));
  const beside = {
    'lines of tests': countLinesIn(
      /^(apps|packages|tests)\/.*(\.test\.tsx?$|\/test\/.*\.tsx?$)|^(tests|packages\/testing)\/.*\.ts$/,
    ),
    'lines of migrations': countLinesIn(/^prisma\/migrations\/.*\.sql$/),
    'lines of generated files': countLinesIn(/^(apps|packages)\/.*\/generated\//),
  };
  return { counts, beside };
}

const options = parseOptions(USAGE, { options: { record: { type: 'boolean' }, json: { type: 'boolean' } } });
if (options !== null) {
  const { counts, beside } = countHouse();
  if (options.values.record) {
    fs.writeFileSync(CEILINGS, `${JSON.stringify(counts, null, 2)}\n`);
  }
  const ceilings = JSON.parse(fs.readFileSync(CEILINGS, 'utf8'));
  const isAbove = ([name, count]) => count > (ceilings[name] ?? 0);
  if (options.values.json) {
    console.log(JSON.stringify(counts));
  } else {
    for (const entry of Object.entries(counts)) {
      const [name, count] = entry;
      console.log(`${isAbove(entry) ? 'ABOVE ' : ''}${name}: ${count} (ceiling ${ceilings[name] ?? 0})`);
    }
    for (const [name, count] of Object.entries(beside)) {
      console.log(`beside, not counted: ${name}: ${count}`);
    }
  }
  if (Object.entries(counts).some(isAbove)) {
    console.error(
      'A count is above its ceiling. Lower it, or record it with its reason: node scripts/check-house.mjs --record',
    );
    process.exitCode = 1;
  }
}
