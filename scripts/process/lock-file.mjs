import fs from 'node:fs';
import path from 'node:path';
import { startedAt } from './process-identity.mjs';

/** Age up to which a file without readable content counts as one that is just being written (milliseconds). */
const WRITING_MS = 5_000;

/** @typedef {{ pid: number, startedAt: string | null, [more: string]: unknown }} Holder */

/**
 * @param {string} file
 * @returns {{ text: string, holder: Holder | null } | null}
 */
function read(file) {
  try {
    const text = fs.readFileSync(file, 'utf8');
    try {
      return { text, holder: JSON.parse(text) };
    } catch {
      const young = Date.now() - fs.statSync(file).mtimeMs < WRITING_MS;
      return { text, holder: young ? { pid: 0, startedAt: null } : null };
    }
  } catch {
    return null;
  }
}

/**
 * @param {Holder} holder
 * @returns {boolean}
 */
const lives = (holder) =>
  holder.pid === 0 || (holder.startedAt !== null && startedAt(holder.pid) === holder.startedAt);

/**
 * Takes a lock that ends with the process that holds it, however that ends.
 * Returns the living holder when there is one; a lock whose holder is gone is taken over.
 * @param {string} file
 * @param {Record<string, unknown>} [more] stored beside the process, for a process that finds the lock taken
 * @returns {{ taken: true, stale: Holder | null, release: () => void } | { taken: false, holder: Holder }}
 */
export function takeLock(file, more = {}) {
  const mine = JSON.stringify({ ...more, pid: process.pid, startedAt: startedAt(process.pid) });
  fs.mkdirSync(path.dirname(file), { recursive: true });
  /** @type {Holder | null} */
  let stale = null;
  for (;;) {
    try {
      fs.writeFileSync(file, mine, { flag: 'wx', mode: 0o600 });
      const release = () => {
        if (read(file)?.text === mine) {
          fs.rmSync(file, { force: true });
        }
      };
      return { taken: true, stale, release };
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') {
        throw error;
      }
    }
    const found = read(file);
    if (!found) {
      continue;
    }
    if (found.holder && lives(found.holder)) {
      return { taken: false, holder: found.holder };
    }
    stale = found.holder;
    // Moved away first: of two that find the same stale lock only one can move it.
    const aside = `${file}.${process.pid}`;
    try {
      fs.renameSync(file, aside);
    } catch {
      continue;
    }
    if (fs.readFileSync(aside, 'utf8') !== found.text && !fs.existsSync(file)) {
      fs.renameSync(aside, file);
    } else {
      fs.rmSync(aside, { force: true });
    }
  }
}
