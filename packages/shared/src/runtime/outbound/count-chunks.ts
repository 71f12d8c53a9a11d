const LINE_FEED = 0x0a;
const MAX_LINE = 16 * 1024;
const INTERIM = /^HTTP\/1\.[01] 1/;
const CHUNKED = /^transfer-encoding:.*\bchunked\b/i;

/** Chunks that a body may have, however small they are. */
const FREE_CHUNKS = 1_000;
const MIN_AVERAGE_BYTES = 64;
const MAX_CHUNKS_PER_SECOND = 100;
const SECOND_MS = 1_000;

/**
 * Follows the response of one request on the wire (RFC 9112, section 7.1) and counts the chunks of its body. Each of them costs
 * the reader as much as many bytes; cuts of a slow line do not count. The returned function takes the next bytes. It returns
 * false for a body of more than 1,000 chunks with fewer than 64 bytes on average. With `takesKeepAlives` that needs more than
 * 100 of them in a second: comments that keep a connection alive are small.
 */
export function createChunkCounter({
  takesKeepAlives,
  nowMs = () => performance.now(),
}: {
  readonly takesKeepAlives: boolean;
  readonly nowMs?: () => number;
}): (bytes: Buffer) => boolean {
  let state: 'head' | 'size' | 'data' | 'ignored' = 'head';
  let line = '';
  let isInterim = false;
  let isChunked = false;
  let leftBytes = 0;
  let chunks = 0;
  let dataBytes = 0;
  let since = Number.NEGATIVE_INFINITY;
  let inSecond = 0;

  const readHeadLine = (text: string): void => {
    if (text !== '') {
      isInterim ||= INTERIM.test(text);
      isChunked ||= CHUNKED.test(text);
    } else if (isInterim) {
      isInterim = false;
      isChunked = false;
    } else {
      state = isChunked ? 'size' : 'ignored';
    }
  };
  const readSize = (text: string): void => {
    const size = Number.parseInt(text, 16);
    // The last chunk is empty; what is no size is the parser's to refuse.
    if (!(size > 0)) {
      state = 'ignored';
      return;
    }
    chunks += 1;
    dataBytes += size;
    leftBytes = size + '\r\n'.length;
    state = 'data';
  };
  const isFast = (): boolean => {
    const now = nowMs();
    if (now - since >= SECOND_MS) {
      since = now;
      inSecond = 0;
    }
    inSecond += 1;
    return inSecond > MAX_CHUNKS_PER_SECOND;
  };
  return (bytes) => {
    for (let at = 0; at < bytes.length && state !== 'ignored'; ) {
      if (state === 'data') {
        const taken = Math.min(leftBytes, bytes.length - at);
        at += taken;
        leftBytes -= taken;
        state = leftBytes === 0 ? 'size' : 'data';
        continue;
      }
      const feed = bytes.indexOf(LINE_FEED, at);
      const end = feed === -1 ? bytes.length : feed;
      line = (line + bytes.toString('latin1', at, end)).slice(0, MAX_LINE);
      at = end + 1;
      if (feed === -1) {
        break;
      }
      const text = line.trimEnd();
      line = '';
      if (state === 'head') {
        readHeadLine(text);
        continue;
      }
      readSize(text);
      if (chunks > FREE_CHUNKS && dataBytes < MIN_AVERAGE_BYTES * chunks && (!takesKeepAlives || isFast())) {
        return false;
      }
    }
    return true;
  };
}
