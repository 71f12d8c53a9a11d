/**
 * A line in the form of Jest's closing "Tests:" line, which `.ci/run` and `.ci/long` sum up.
 * Programs that check something without Jest, or that leave something out for want of a tool, end with one.
 * @param {{ passed?: number, failed?: number, skipped?: number }} counts
 */
export function summaryLine({ passed = 0, failed = 0, skipped = 0 }) {
  const parts = Object.entries({ failed, skipped, passed }).filter(([, count]) => count > 0);
  const words = parts.map(([word, count]) => `${count} ${word}`);
  return `Tests:       ${[...words, `${passed + failed + skipped} total`].join(', ')}`;
}
