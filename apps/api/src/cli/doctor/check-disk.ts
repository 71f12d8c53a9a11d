import { statfs } from 'node:fs/promises';
import { type CheckResult, fault, fine, warning } from './check-result.js';

const PART = 'disk';
const MEBIBYTE = 1024 ** 2;
const LITTLE_MIB = 2_048;
const TOO_LITTLE_MIB = 256;

/** Checks how much room is left where the embedded services keep their files; null when nothing is kept there. */
export async function checkDisk(dataDir: string): Promise<CheckResult | null> {
  const stats = await statfs(dataDir).catch(() => null);
  if (stats === null) return null;
  const freeMib = Math.floor((stats.bavail * stats.bsize) / MEBIBYTE);
  const observed = `${freeMib} MiB free for ${dataDir}`;
  if (freeMib < TOO_LITTLE_MIB)
    return fault(PART, observed, 'Make room: PostgreSQL stops when the disk is full.');
  return freeMib < LITTLE_MIB ? warning(PART, observed, 'Make room soon.') : fine(PART, observed);
}
