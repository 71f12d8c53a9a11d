/** Segment of a JPEG's header: its marker, and where it lies. */
export interface Segment {
  readonly marker: number;
  readonly start: number;
  readonly end: number;
  /** Bytes behind marker and length. */
  readonly content: Buffer;
}

const [EOI, SOS] = [0xd9, 0xda];
/** Encoders write none or a few; the bound keeps the walk short. */
const MAX_FILL_BYTES = 10_000;
/** A colour profile of 16 MB is spread over 256 of them. */
const MAX_SEGMENTS = 2_000;

/**
 * Lists the segments of a JPEG (ITU T.81, annex B) up to the header of its first scan, or to the end. Passes over bytes
 * between them and over fill bytes, as decoders do. Ends early when there are more than any encoder writes.
 */
export function* listSegments(bytes: Buffer): Generator<Segment, void> {
  let fillBytes = 0;
  let segments = 0;
  let start = bytes.indexOf(0xff, 2);
  while (start >= 0 && start + 4 <= bytes.length) {
    const marker = bytes[start + 1] ?? 0;
    if (marker === EOI || fillBytes > MAX_FILL_BYTES || segments >= MAX_SEGMENTS) {
      return;
    }
    if (marker === 0 || marker === 0xff) {
      fillBytes += 1;
      start = bytes.indexOf(0xff, start + 1);
      continue;
    }
    const end = start + 2 + bytes.readUInt16BE(start + 2);
    segments += 1;
    yield { marker, start, end, content: bytes.subarray(start + 4, end) };
    if (marker === SOS) {
      return;
    }
    start = bytes.indexOf(0xff, end);
  }
}
