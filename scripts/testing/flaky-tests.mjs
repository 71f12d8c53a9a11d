/**
 * Test files that were seen to fail on a busy machine and to pass alone, each with what is known of it. After their day that is a fault.
 * Any other file that does so runs ten times more, alone.
 * @type {Readonly<Record<string, Readonly<Record<string, string>>>>}
 */
const KNOWN = {};

/** Rows of known flaky tests. */
export const FLAKY = Object.entries(KNOWN).flatMap(([until, files]) =>
  Object.entries(files).map(([file, why]) => ({ file, why, until })),
);
