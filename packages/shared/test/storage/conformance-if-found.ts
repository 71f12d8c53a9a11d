import { test } from '@jest/globals';
import { objectStoreConformance } from './conformance/object-store-conformance.js';
import type { RunningStore } from './conformance/running-store.js';
import { findObjectStore } from './find-object-store.js';

/** The suite against a real server where its program can be had, else one skipped test and one line that says what to do. */
export function conformanceIfFound(
  title: string,
  name: 'minio' | 'versitygw',
  start: (program: string) => Promise<RunningStore>,
): void {
  const program = findObjectStore(name);
  if (program !== null) {
    objectStoreConformance(title, () => start(program));
    return;
  }
  const hint = `${title} is not here, its suite is skipped (set ${name.toUpperCase()}_BIN, or install Go and npm run object-stores:build)`;
  test.skip(hint, () => undefined);
  // Jest names skipped tests only when one file runs.
  process.stderr.write(`${hint}\n`);
}
