import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { type CheckResult, fault, fine, warning } from './check-result.js';

const PART = 'spool';
const MEBIBYTE = 1024 ** 2;

/** Settings of a spool. */
export interface SpoolSettings {
  readonly SPOOL_DIR: string;
  /** In bytes. */
  readonly SPOOL_MAX: number;
}

/** Checks the spool folder, in which generation workers of this machine keep responses that wait for memory, and API processes uploads. */
export async function checkSpool(settings: SpoolSettings): Promise<CheckResult> {
  const { SPOOL_DIR: dir, SPOOL_MAX: maxBytes } = settings;
  const found = await stat(dir).catch(() => null);
  if (found === null) {
    return warning(
      PART,
      `${dir} does not exist`,
      'Generation workers create it when they start. Check it on the machines where they run.',
    );
  }
  const isWritable = await access(dir, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!found.isDirectory() || !isWritable) {
    return fault(
      PART,
      `${dir} is not a writable folder`,
      'Set SPOOL_DIR to a folder on a disk that generation workers can write to.',
    );
  }
  const { bavail, bsize } = await statfs(dir);
  const [freeMib, maxMib] = [bavail * bsize, maxBytes].map((bytes) => Math.floor(bytes / MEBIBYTE));
  const observed = `${freeMib} MiB free for ${dir}, SPOOL_MAX is ${maxMib} MiB`;
  return bavail * bsize < maxBytes
    ? warning(
        PART,
        observed,
        'Free disk space, or lower SPOOL_MAX: each worker of this machine may use that much.',
      )
    : fine(PART, observed);
}
