import fs from 'node:fs';
import path from 'node:path';

/**
 * Results of the Jest runs of one `npm test`, by test file. The last run of a file counts.
 * Jest writes what it found to a file in `folder`.
 */
export function createResults(root, folder) {
  const files = new Map();
  const firstFailures = new Map();
  const seconds = new Map();
  const outputs = [];
  const sum = (key) => [...files.values()].reduce((total, counts) => total + counts[key], 0);
  const listFlaky = () => [...firstFailures.keys()].filter((name) => files.get(name)?.failed === 0).sort();

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
        for (const { name: file, status, assertionResults, startTime, endTime } of testResults) {
          const name = path.relative(root, file);
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
          seconds.set(name, Math.round((endTime - startTime) / 1_000));
          if (status === 'failed') {
            const tests = assertionResults.flatMap((one) => (one.status === 'failed' ? [one.fullName] : []));
            firstFailures.set(name, firstFailures.get(name) ?? tests);
            failed.push(name);
          }
        }
      }
      return failed;
    },
    /** Test files whose last run failed. */
    failed: () => [...files].flatMap(([name, counts]) => (counts.failed > 0 ? [name] : [])).sort(),
    /** Test files that failed and passed when they were repeated, each with its tests that failed: none when its hooks did. */
    flaky: () => listFlaky().map((file) => ({ file, tests: firstFailures.get(file) })),
    /** Seconds of each test file that ran. */
    seconds: () => Object.fromEntries(seconds),
    /** Returns the closing line. A file that failed beside others and passed alone is flaky: it is counted and named. */
    total: () => {
      const flaky = listFlaky();
      const counts = `${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`;
      return `Total: ${counts}${flaky.length > 0 ? `, ${flaky.length} flaky (${flaky.join(' ')})` : ''}`;
    },
  };
}
