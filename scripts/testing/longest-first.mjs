import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Seconds of each test file, written by `npm test -- --record-times`. */
export const RECORDED_SECONDS = path.join(import.meta.dirname, 'recorded-seconds.json');
// A file that was never recorded is taken for one of the longer ones.
const UNKNOWN_SECONDS = 20;

/** Reads the recorded seconds by path. */
export function readSeconds() {
  return fs.existsSync(RECORDED_SECONDS) ? JSON.parse(fs.readFileSync(RECORDED_SECONDS, 'utf8')) : {};
}

/**
 * Order of test files for Jest: the longest first, so that no long file is left for the end.
 * It is recorded, because a clean copy has no cache with the times of an earlier run.
 */
export default class LongestFirst {
  sort(tests) {
    const seconds = readSeconds();
    const length = ({ path: file }) => seconds[path.relative(ROOT, file)] ?? UNKNOWN_SECONDS;
    return [...tests].sort((a, b) => length(b) - length(a) || (a.path < b.path ? -1 : 1));
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {
    // The recorded times are the only memory.
  }
}
