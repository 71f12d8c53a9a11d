/** Runs of a test that failed once and passed when it was repeated; one more failure among them is a fault. */
const REPETITIONS = 10;

/**
 * Tells known flaky tests from others.
 * @param {readonly { file: string, tests: readonly string[] }[]} flaky files that failed and passed when they were repeated
 * @param {readonly { file: string, why: string, until: string }[]} known each with the day after which it is a fault (YYYY-MM-DD)
 * @param {string} today
 * @returns {{ suspects: readonly { file: string, tests: readonly string[] }[], overdue: boolean, lines: readonly string[] }}
 */
export function judgeFlaky(flaky, known, today = new Date().toISOString().slice(0, 10)) {
  const rows = flaky.map((one) => ({ ...one, row: known.find(({ file }) => one.file.startsWith(file)) }));
  const overdue = rows.filter(({ row }) => row !== undefined && row.until < today);
  return {
    suspects: rows.flatMap(({ file, tests, row }) => (row === undefined ? [{ file, tests }] : [])),
    overdue: overdue.length > 0,
    lines: rows.flatMap(({ file, tests, row }) => {
      const names = tests.map((name) => `    ${name}`);
      if (row === undefined) {
        return [`Flaky: ${file}. It runs ${REPETITIONS} times more, alone:`, ...names];
      }
      const term =
        row.until < today ? `was to be mended by ${row.until}` : `known until ${row.until}: ${row.why}`;
      return [`Flaky: ${file}, ${term}`, ...names];
    }),
  };
}

/**
 * Repeats each flaky test alone, and stops at its first failure.
 * @param {readonly { file: string, tests: readonly string[] }[]} suspects
 * @param {(file: string, options: readonly string[]) => Promise<number>} run returns the exit code of Jest
 * @returns {Promise<number>} 1 when one failed again
 */
export async function repeatAlone(suspects, run) {
  for (const { file, tests } of suspects) {
    const names = tests.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
    const only = names === '' ? [] : ['--testNamePattern', `^(${names})$`];
    for (let round = 0; round < REPETITIONS; round++) {
      if ((await run(file, ['--runInBand', '--silent', ...only])) !== 0) {
        console.log(
          `${file} failed again when it was repeated: this is a fault, not an accident of a busy machine.`,
        );
        return 1;
      }
    }
  }
  return 0;
}
