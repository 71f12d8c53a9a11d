import path from 'node:path';
import { parseOptions } from '../options/parse-options.mjs';
import { getProject, listTests } from './list-tests.mjs';
import { readTimes } from './test-times.mjs';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PARTS = /** @type {const} */ (['loading', 'services', 'waiting', 'work']);
const USAGE = `Usage: npm run test:report -- [--json]

Prints where the time of each test file went when it ran here last, the longest first, and the sums by kind and by folder.
Seconds of files that run beside each other add up, and waiting holds the time in which others had the processor.

  loading    its modules are compiled and imported
  services   the hooks around all its tests start and stop databases, servers and processes
  waiting    its tests wait for timers, polls, back-offs, and for responses of services
  work       its tests compute, in their process and in the ones that they started

  --json       prints rows and sums as JSON
  -h, --help   prints this`;

const getSeconds = (times) => PARTS.reduce((sum, part) => sum + times[part], 0);
// apps/api/test/facade, packages/shared/src/domain, tests/acceptance
const getFolder = (name) => path.dirname(name).split(path.sep).slice(0, 4).join('/');

function addUp(rows, getName) {
  const sums = new Map();
  for (const row of rows) {
    const name = getName(row.name);
    const sum = sums.get(name) ?? {
      name,
      files: 0,
      seconds: 0,
      loading: 0,
      services: 0,
      waiting: 0,
      work: 0,
    };
    sum.files += 1;
    for (const part of /** @type {const} */ (['seconds', ...PARTS])) {
      sum[part] += row[part];
    }
    sums.set(name, sum);
  }
  return [...sums.values()].sort((a, b) => b.seconds - a.seconds);
}

/**
 * Returns the rows of the files and their sums, the longest first.
 * @param {Record<string, import('./test-times.mjs').Times>} times
 */
export function sumUpTimes(times) {
  const files = Object.entries(times)
    .map(([name, parts]) => ({ name, seconds: getSeconds(parts), ...parts }))
    .sort((a, b) => b.seconds - a.seconds);
  return {
    files,
    folders: addUp(files, getFolder),
    kinds: addUp(files, getProject),
    total: addUp(files, () => 'all'),
  };
}

function printTable(title, rows) {
  const cells = (row) => [row.seconds, ...PARTS.map((part) => row[part])].map((one) => one.toFixed(1));
  const line = (numbers, name) => `${numbers.map((one) => one.padStart(9)).join('')}  ${name}`;
  console.log(line(['seconds', ...PARTS], title));
  for (const row of rows) {
    console.log(line(cells(row), row.files === undefined ? row.name : `${row.name} (${row.files})`));
  }
  console.log('');
}

/** Prints the report and returns the exit code: 1 when no test ran here yet. */
export function reportTimes() {
  const options = parseOptions(USAGE, { options: { json: { type: 'boolean' } } });
  if (options === null) {
    return 0;
  }
  const existing = new Set(listTests(ROOT));
  const times = Object.fromEntries(Object.entries(readTimes()).filter(([name]) => existing.has(name)));
  if (Object.keys(times).length === 0) {
    console.error('No test has run here yet: npm test measures each file.');
    return 1;
  }
  const report = sumUpTimes(times);
  if (options.values.json) {
    console.log(JSON.stringify(report, null, 2));
    return 0;
  }
  printTable('file', report.files);
  printTable('folder (files)', report.folders);
  printTable('kind (files)', [...report.kinds, ...report.total]);
  return 0;
}
