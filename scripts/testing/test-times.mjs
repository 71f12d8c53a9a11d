import fs from 'node:fs';
import path from 'node:path';

/**
 * Times of a test file in seconds. The file is compiled and imported in `loading`, and the hooks around all its tests run in `services`.
 * Its processes compute in `work`. The rest is `waiting`: timers, polls, backoffs and answers of services.
 * @typedef {{ loading: number, services: number, waiting: number, work: number }} Times
 */

/** Kept times of the last run of each test file, by path. */
export const TIMES_FILE = path.resolve(import.meta.dirname, '../../.cache/test-times.json');

/**
 * Reads kept times.
 * @param {string} [file]
 * @returns {Record<string, Times>}
 */
export function readTimes(file = TIMES_FILE) {
  return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
}

/**
 * Adds the lines that the environment of the tests wrote (`tests/environment`) to the kept times, and removes them.
 * @param {string} lines path
 * @param {string} [file]
 */
export function keepTimes(lines, file = TIMES_FILE) {
  if (!fs.existsSync(lines)) {
    return;
  }
  const rows = fs.readFileSync(lines, 'utf8').trimEnd().split('\n');
  const measured = rows.map((row) => JSON.parse(row)).map(({ file: name, ...times }) => [name, times]);
  // Two runs of a checkout may end at the same time: neither reads half a file.
  const whole = `${lines}.kept`;
  fs.writeFileSync(whole, JSON.stringify({ ...readTimes(file), ...Object.fromEntries(measured) }));
  fs.renameSync(whole, file);
  fs.rmSync(lines);
}
