import { NIGHTLY, REST } from './test-lists.mjs';

const toFile = (name) => `${name}.test.ts`;
const rest = new Set(REST.flatMap(({ files }) => files).map(toFile));
const nightly = new Set(NIGHTLY.map(toFile));

/**
 * Returns the test files that run: those whose path matches one of the patterns, else those of a part. The part `rest` is what
 * `short` leaves out, and `all` is both. Nightly tests run for a pattern alone.
 * @param {readonly string[]} names paths from the root
 * @param {{ patterns?: readonly string[], part?: 'short' | 'rest' | 'all' }} wanted
 * @returns {string[]}
 */
export function selectTests(names, { patterns = [], part = 'short' }) {
  if (patterns.length > 0) {
    const wanted = patterns.map((pattern) => new RegExp(pattern, 'i'));
    return names.filter((name) => wanted.some((pattern) => pattern.test(`/${name}`)));
  }
  const daily = names.filter((name) => !nightly.has(name));
  return part === 'all' ? daily : daily.filter((name) => rest.has(name) === (part === 'rest'));
}

/**
 * Returns lines that say what a part leaves out, and the command for it.
 * @param {'short' | 'rest' | 'all'} part
 * @returns {string[]}
 */
export function listLeftOut(part) {
  const night = `Left to .ci/long, and to --only: ${[...nightly].join(' ')}`;
  if (part !== 'short') {
    return [night];
  }
  return [
    `Left out, ${rest.size} files (npm run test:rest runs them, npm run test:all everything):`,
    ...REST.map(({ subject, files }) => `  ${subject} (${files.length})`),
    night,
  ];
}
