import { statfs } from 'node:fs/promises';
import { type CheckResult, fault, fine, warning } from './check-result.js';

const PART = 'disk';
const MEBIBYTE = 1024 ** 2;
const RECOMMENDED_FREE_MIB = 2_048;
const MIN_FREE_MIB = 256;

/** Checks the free disk space of the data folder; null when there is no such folder. */
export async function checkDisk(dataDir: string): Promise<CheckResult | null> {
  const stats = await statfs(dataDir).catch(() => null);
  if (stats === null) {
    return null;
  }
  const freeMib = Math.floor((stats.bavail * stats.bsize) / MEBIBYTE);
  const observed = `${freeMib} MiB free for ${dataDir}`;
  if (freeMib < MIN_FREE_MIB) {
    return fault(PART, observed, 'Free disk space: PostgreSQL stops when the disk is full.');
  }
  return freeMib < RECOMMENDED_FREE_MIB
    ? warning(PART, observed, 'Free disk space soon.')
    : fine(PART, observed);
}
