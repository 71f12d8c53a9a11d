/** Segment of a JPEG's header: its marker, and where it lies. */
interface Segment {
  readonly marker: number;
  readonly start: number;
  readonly end: number;
  /** Bytes behind marker and length. */
  readonly content: Buffer;
}

const [SOF0, SOF1, EOI, SOS] = [0xc0, 0xc1, 0xd9, 0xda];
const COMPONENTS_OF_FRAME = 5;
/** Encoders write none or a few; the bound keeps the walk short. */
const MAX_FILL_BYTES = 10_000;
/** A colour profile of 16 MB is spread over 256 of them. */
const MAX_SEGMENTS = 2_000;

/** Returns whether the decoder of a JPEG must hold the whole image: always, except for one sequential scan of all components (ITU T.81, annex B). */
export function holdsWholeJpeg(bytes: Buffer): boolean {
  let components: number | undefined;
  for (const { marker, content } of listSegments(bytes)) {
    if (marker === SOF0 || marker === SOF1) {
      components ??= content[COMPONENTS_OF_FRAME];
    }
    if (marker === SOS) {
      return components === undefined || content[0] !== components;
    }
  }
  return true;
}

/** Returns a JPEG without the bytes between the segments of its header. */
export function tidyHeader(bytes: Buffer): Buffer {
  const parts = [bytes.subarray(0, 2)];
  let end = 2;
  for (const segment of listSegments(bytes)) {
    parts.push(bytes.subarray(segment.start, segment.end));
    end = segment.end;
  }
  return Buffer.concat([...parts, bytes.subarray(end)]);
}

/**
 * Lists the segments of a JPEG (ITU T.81, annex B) up to the header of its first scan, or to the end. Passes over bytes
 * between them and over fill bytes, as decoders do. Ends early when there are more than any encoder writes.
 */
function* listSegments(bytes: Buffer): Generator<Segment, void> {
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
