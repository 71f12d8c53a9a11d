import type { Semaphore } from '@image-gateway/shared/concurrency';
import type { Spool, SpoolFile } from '@image-gateway/shared/spool';

/** Terms of room on disk. */
export interface RoomTerms {
  /** Account; waiting accounts take turns. */
  readonly key: string;
  /** Bytes of the largest response to expect. */
  readonly bytes: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** Spool of one call. */
export interface ReservedSpool extends Spool {
  /** Ends the reservation. */
  readonly release: () => void;
}

/** Bytes that a file takes at a time beyond its reservation. */
const GROWTH_BYTES = 1024 ** 2;

/**
 * Waits for room on disk and returns a spool that has it. Files beyond that take what nobody has reserved, and are refused
 * otherwise, so an unexpectedly large response takes no other call's room. Rejects with the reason of the signal.
 */
export async function reserveSpool(
  { spool, permits }: { readonly spool: Spool; readonly permits: Semaphore },
  { key, bytes, signal }: RoomTerms,
): Promise<ReservedSpool> {
  const releases = [await permits.acquire({ key, signal, count: bytes })];
  let granted = bytes;
  const files = new Set<SpoolFile>();
  const mayAppend = (more: number): boolean => {
    const missing = [...files].reduce((sum, file) => sum + file.size(), more) - granted;
    if (missing <= 0) {
      return true;
    }
    const count = Math.max(GROWTH_BYTES, missing);
    const release = permits.tryAcquire({ key, count });
    if (release === null) {
      return false;
    }
    releases.push(release);
    granted += count;
    return true;
  };
  const limit = (file: SpoolFile): SpoolFile => {
    files.add(file);
    return {
      ...file,
      append: async (chunks) => {
        const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
        return mayAppend(length) && file.append(chunks);
      },
      close: () => {
        files.delete(file);
        return file.close();
      },
    };
  };
  return {
    open: async () => limit(await spool.open()),
    release: () => {
      for (const release of releases) {
        release();
      }
    },
  };
}
