import fs from 'node:fs';
import path from 'node:path';

/**
 * Results of the Jest runs of one `npm test`, by test file. The last run of a file counts.
 * Jest writes what it found to a file in `folder`.
 */
export function createResults(folder) {
  const files = new Map();
  const failedOnce = new Set();
  const outputs = [];
  const sum = (key) => [...files.values()].reduce((total, counts) => total + counts[key], 0);

  return {
    /** Returns Jest's options for one more run. */
    options: () => {
      fs.mkdirSync(folder, { recursive: true });
      const output = path.join(folder, `jest-results-${process.pid}-${outputs.length}.json`);
      outputs.push(output);
      return ['--json', `--outputFile=${output}`];
    },
    /** Reads what the runs since the last call wrote, and returns the test files that failed. */
    collect: () => {
      const failed = [];
      for (const output of outputs.splice(0).filter((file) => fs.existsSync(file))) {
        const { testResults } = JSON.parse(fs.readFileSync(output, 'utf8'));
        fs.rmSync(output);
        for (const { name, status, assertionResults } of testResults) {
          const count = (...states) =>
            assertionResults.filter(({ status: one }) => states.includes(one)).length;
          const counts = {
            passed: count('passed'),
            failed: count('failed'),
            skipped: count('pending', 'todo'),
          };
          // A file that could not be loaded, or whose hooks failed, has no failed test.
          const isBroken = status === 'failed' && counts.failed === 0;
          files.set(name, isBroken ? { ...counts, failed: 1 } : counts);
          for (const { fullName } of assertionResults.filter((one) => one.status === 'failed')) {
            failedOnce.add(`${name}: ${fullName}`);
          }
          if (status === 'failed') {
            failed.push(name);
          }
        }
      }
      return failed;
    },
    /** Names the tests that failed at first and whose file passed at last. */
    repaired: () =>
      [...failedOnce].filter((test) => files.get(test.slice(0, test.indexOf(': ')))?.failed === 0),
    /** Returns the closing line. */
    total: () => `Total: ${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`,
  };
}
