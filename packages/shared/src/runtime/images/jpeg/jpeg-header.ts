/** Segment of a JPEG's header: its marker, and where it lies. */
interface Segment {
  readonly marker: number;
  readonly start: number;
  readonly end: number;
  /** Bytes behind marker and length. */
  readonly content: Buffer;
}

export const [SOF0, SOF1, EOI, SOS, DRI] = [0xc0, 0xc1, 0xd9, 0xda, 0xdd];
const [APP0, APP14] = [0xe0, 0xee];
const JFIF = Buffer.from('JFIF\0');
const ADOBE = Buffer.from('Adobe');
const [JFIF_MAJOR, ADOBE_TRANSFORM] = [5, 11];
/** Selection of coefficients in the header of a sequential scan: all 64, in one pass. */
const ALL_COEFFICIENTS = Buffer.from([0, 63, 0]);
const COMPONENTS_OF_FRAME = 5;
/** Encoders write none or a few; the bound keeps the walk short. */
const MAX_FILL_BYTES = 10_000;
/** A colour profile of 16 MB is spread over 256 of them. */
const MAX_SEGMENTS = 2_000;

/**
 * Returns whether the decoder of a JPEG must hold the whole image: always, except for one sequential scan of all components
 * (ITU T.81, annex B).
 */
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

/**
 * Returns a JPEG to validate, whose header gives a decoder nothing to warn of that touches no pixel. Bytes between its segments
 * are left out. Fields that decoders ignore get their usual value.
 */
export function tidyHeader(bytes: Buffer): Buffer {
  const parts = [bytes.subarray(0, 2)];
  let end = 2;
  let isSequential = false;
  for (const segment of listSegments(bytes)) {
    isSequential ||= segment.marker === SOF0 || segment.marker === SOF1;
    parts.push(bytes.subarray(segment.start, segment.start + 4), tidyContent(segment, isSequential));
    end = segment.end;
  }
  return Buffer.concat([...parts, bytes.subarray(end)]);
}

function tidyContent({ marker, content }: Segment, isSequential: boolean): Buffer {
  const tidy = Buffer.from(content);
  if (marker === APP0 && startsWith(content, JFIF) && content.length > JFIF_MAJOR) {
    tidy[JFIF_MAJOR] = 1;
  }
  // How colours are computed does not matter for a validation.
  if (marker === APP14 && startsWith(content, ADOBE) && content.length > ADOBE_TRANSFORM) {
    tidy[ADOBE_TRANSFORM] = 0;
  }
  // Firmware of phones writes zeros.
  const selectionAt = 1 + 2 * (content[0] ?? 0);
  if (marker === SOS && isSequential && content.length === selectionAt + ALL_COEFFICIENTS.length) {
    ALL_COEFFICIENTS.copy(tidy, selectionAt);
  }
  return tidy;
}

const startsWith = (content: Buffer, start: Buffer): boolean =>
  content.subarray(0, start.length).equals(start);

/**
 * Lists the segments of a JPEG (ITU T.81, annex B) from a place up to the header of the next scan, or to the end. Passes over bytes
 * between them and over fill bytes, as decoders do. Ends early when there are more than any encoder writes.
 */
export function* listSegments(bytes: Buffer, from = 2): Generator<Segment, void> {
  let fillBytes = 0;
  let segments = 0;
  let start = bytes.indexOf(0xff, from);
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
