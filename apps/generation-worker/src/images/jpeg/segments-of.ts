/** A segment of a JPEG's header: its marker, and where it lies. */
export interface Segment {
  readonly marker: number;
  readonly start: number;
  readonly end: number;
  /** What stands behind marker and length. */
  readonly content: Buffer;
}

const [EOI, SOS] = [0xd9, 0xda];
/** Nobody but an attacker writes more of them. */
const MOST_FILL_BYTES = 10_000;

/** The segments of a JPEG (ITU T.81, annex B) up to the header of its first scan, or to the end. Passes over what lies between them and over fill bytes, as decoders do. */
export function* segmentsOf(bytes: Buffer): Generator<Segment, void> {
  let fillBytes = 0;
  let start = bytes.indexOf(0xff, 2);
  while (start >= 0 && start + 4 <= bytes.length) {
    const marker = bytes[start + 1] ?? 0;
    if (marker === EOI || fillBytes > MOST_FILL_BYTES) return;
    if (marker === 0 || marker === 0xff) {
      fillBytes += 1;
      start = bytes.indexOf(0xff, start + 1);
      continue;
    }
    const end = start + 2 + bytes.readUInt16BE(start + 2);
    yield { marker, start, end, content: bytes.subarray(start + 4, end) };
    if (marker === SOS) return;
    start = bytes.indexOf(0xff, end);
  }
}
