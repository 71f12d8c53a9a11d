import { Readable } from 'node:stream';
import type { ByteRange } from '@image-gateway/shared/storage';

/** Open part of an object. */
export interface OpenPart {
  readonly body: Readable;
  /** Gives up its place at the store, and keeps the connection; false when there is no room for that. */
  readonly keep: () => boolean;
}

/** Object to download and how to read a part of it. */
export interface DownloadSource extends ByteRange {
  readonly key: string;
  /** Opens a part of the object, for a client that keeps up or a slow one; null when it is gone. */
  readonly open: (range: ByteRange, isSlow: boolean) => Promise<OpenPart | null>;
  /** Returns the bytes that this download may hold for its client. */
  readonly getShare: () => number;
}

/** Below this size of its buffer a download asks the store for more. */
const LOW_BYTES = 64 * 1024;
/**
 * Longest pause of a connection that has a place at the store. Short, since others may wait for the place; clients that keep up
 * need less.
 */
const MAX_PAUSE_MS = 100;
/** Longest pause of a connection that is kept without a place. Stores end connections on which nothing moves for longer. */
const MAX_KEPT_PAUSE_MS = 5_000;

/**
 * Creates the body of a download from the first open part. The bytes of the store pass at once while the client keeps up. When
 * more of them wait than the share of a download, the connection to the store pauses. During a longer pause it is kept if there is room,
 * since a request costs more than a pause. Else it is closed: further parts are as large as the share and are fetched when the client
 * has read the one before.
 */
export function createDownload(
  first: OpenPart,
  { key, start, end, open, getShare }: DownloadSource,
): Readable {
  let source: Readable | null = null;
  let isOpening = false;
  let isSlow = false;
  let at = start;
  let pause: NodeJS.Timeout | undefined;
  const endPause = (): void => {
    clearTimeout(pause);
    pause = undefined;
  };
  const attach = ({ body: part, keep }: OpenPart, partEnd: number): void => {
    let isKept = false;
    const endLongPause = (): void => {
      isKept = keep();
      if (isKept) {
        pause = setTimeout(closeSlow, MAX_KEPT_PAUSE_MS);
      } else {
        closeSlow();
      }
    };
    source = part;
    part.on('data', (chunk: Buffer) => {
      at += chunk.length;
      body.push(chunk);
      if (at <= partEnd && body.readableLength > getShare()) {
        part.pause();
        pause ??= isKept ? setTimeout(closeSlow, MAX_KEPT_PAUSE_MS) : setTimeout(endLongPause, MAX_PAUSE_MS);
      }
    });
    part.on('error', (error) => {
      if (!isKept) {
        body.destroy(error);
      } else if (source === part) {
        // The store did not wait for the client: that is no reason to cut the download.
        closeSlow();
        if (body.readableLength < LOW_BYTES) {
          openNext();
        }
      }
    });
    part.on('end', () => {
      if (source !== part) {
        return;
      }
      source = null;
      if (at !== partEnd + 1) {
        body.destroy(new Error(`a part of ${key} has a wrong length`));
      } else if (at > end) {
        body.push(null);
      } else if (body.readableLength < LOW_BYTES) {
        openNext();
      }
    });
  };
  const closeSlow = (): void => {
    isSlow = true;
    detach();
  };
  const detach = (): void => {
    endPause();
    const part = source;
    source = null;
    part?.removeAllListeners('data');
    part?.destroy();
  };
  const readMore = (): void => {
    if (pause === undefined) {
      openNext();
    } else {
      endPause();
      source?.resume();
    }
  };
  const openNext = (): void => {
    if (source !== null || isOpening || at > end) {
      return;
    }
    isOpening = true;
    const partEnd = isSlow ? Math.min(at + getShare() - 1, end) : end;
    open({ start: at, end: partEnd }, isSlow).then(
      (part) => {
        isOpening = false;
        if (part === null || body.destroyed) {
          part?.body.destroy();
          body.destroy(new Error(`the object ${key} is gone`));
          return;
        }
        attach(part, partEnd);
      },
      (error: unknown) => body.destroy(error as Error),
    );
  };
  const body = new Readable({
    highWaterMark: LOW_BYTES,
    read: readMore,
    destroy: (error, done) => {
      detach();
      done(error);
    },
  });
  attach(first, end);
  return body;
}
