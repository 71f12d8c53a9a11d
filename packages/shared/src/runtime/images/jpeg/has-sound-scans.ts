import { listSegments, SOS } from './jpeg-header.js';

/** Scan of a JPEG: the segments in front of its header, the header, and its data. */
interface Scan {
  readonly segments: Buffer;
  readonly header: Buffer;
  data: Buffer;
}

interface Scans {
  /** Everything before the header of the first scan. */
  readonly head: Buffer;
  readonly scans: readonly Scan[];
  /** Everything behind the data of the last scan. */
  readonly tail: Buffer;
}

/** First of the application segments that say behind which scan a decoder warns. They mean nothing to it. */
const FIRST_MARK = 0xe3;
const MARKS = 10;
const MARK_BYTES = 4;
/** Encoders write ten or so; each takes a decoder time. */
const MAX_SCANS = 64;
/** Most bytes behind a scan that are surplus, whatever their value. Padding of one value may have as many as two digits say. */
const MAX_SURPLUS = 16;
const SURPLUS = /^VipsJpeg: Corrupt JPEG data: (\d{1,2}) extraneous bytes before marker 0x([0-9a-f]{2})\s*$/;
/** Decodings of one image at most. */
const MAX_LOOKS = 24;

/**
 * Returns true for a JPEG of several scans of which decoders warn without losing a pixel. They do so for bytes behind the data
 * of a scan, and for a scan that is written twice. It is decoded without them, until no warning is left. A warning does not say
 * where, so a segment of its own stands behind each scan.
 */
export async function hasSoundScans(
  bytes: Buffer,
  findWarning: (jpeg: Buffer) => Promise<Error | null>,
): Promise<boolean> {
  const parts = readScans(bytes);
  if (!parts) {
    return false;
  }
  const { scans } = parts;
  // The same memory for every look: the collector would free that of each too late.
  const room = Buffer.allocUnsafeSlow(bytes.length + MARKS * MARK_BYTES);
  let from = 0;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const warning = await findWarning(join(parts, from, room));
    if (warning === null) {
      return true;
    }
    const [, count = '', marker = ''] = SURPLUS.exec(warning.message) ?? [];
    if (count === '') {
      return false;
    }
    const index = from + Number.parseInt(marker, 16) - FIRST_MARK;
    const scan = index >= from ? scans[index] : undefined;
    if (scan) {
      if (!cutSurplus(scan, Number(count))) {
        return false;
      }
      from = index;
    } else if (from + MARKS < scans.length) {
      from += MARKS;
    } else {
      return false;
    }
  }
  return false;
}

/** Reads the scans of a JPEG without those that repeat the one before; null for a single one, or too many. */
function readScans(bytes: Buffer): Scans | null {
  const scans: Scan[] = [];
  let [head, end, count] = [bytes, 2, 0];
  for (let next = readToScan(bytes, end); next; next = readToScan(bytes, end)) {
    const { segments, header, start } = next;
    head = count === 0 ? bytes.subarray(0, start) : head;
    end = findEnd(bytes, start + header.length);
    const scan = { segments, header, data: bytes.subarray(start + header.length, end) };
    if (!repeats(scan, scans.at(-1))) {
      scans.push(scan);
    }
    count += 1;
    if (count > MAX_SCANS) {
      return null;
    }
  }
  return count > 1 ? { head, scans, tail: bytes.subarray(end) } : null;
}

/** Reads the segments up to the header of the next scan, without bytes between them; null behind the last scan. */
function readToScan(bytes: Buffer, from: number): { segments: Buffer; header: Buffer; start: number } | null {
  const segments: Buffer[] = [];
  for (const { marker, start, end } of listSegments(bytes, from)) {
    if (marker === SOS) {
      return { segments: Buffer.concat(segments), header: bytes.subarray(start, end), start };
    }
    segments.push(bytes.subarray(start, end));
  }
  return null;
}

/** Returns where the data of a scan ends: at a marker that is no restart. */
function findEnd(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const marker = bytes[at + 1] ?? 0;
    if (marker !== 0 && marker !== 0xff && !(marker >= 0xd0 && marker <= 0xd7)) {
      return at;
    }
  }
  return bytes.length;
}

/**
 * Returns true for a scan that a decoder may read again without a change. One that refines coefficients other than the first
 * reads itself anew, as another image.
 */
function repeats({ segments, header, data }: Scan, previous: Scan | undefined): boolean {
  if (!previous?.header.equals(header) || !previous.data.equals(data)) {
    return false;
  }
  const before = previous.segments.subarray(previous.segments.length - segments.length);
  const [first = 0, , precision = 0] = header.subarray(-3);
  return before.equals(segments) && (first === 0 || precision >> 4 === 0);
}

/** Cuts bytes off the end of a scan if so many can be surplus. */
function cutSurplus(scan: Scan, count: number): boolean {
  const end = scan.data.length - count;
  const surplus = scan.data.subarray(Math.max(0, end));
  const isPadding = surplus.every((value) => value === surplus[0]);
  if (end <= 0 || (count > MAX_SURPLUS && !isPadding)) {
    return false;
  }
  scan.data = scan.data.subarray(0, end);
  return true;
}

/** Joins the parts, with marks behind the scans from a place on. */
function join({ head, scans, tail }: Scans, from: number, room: Buffer): Buffer {
  let end = head.copy(room);
  for (const [index, { segments, header, data }] of scans.entries()) {
    end += index === 0 ? 0 : segments.copy(room, end);
    end += header.copy(room, end);
    end += data.copy(room, end);
    if (index >= from && index < from + MARKS) {
      end += Buffer.from([0xff, FIRST_MARK + index - from, 0, 2]).copy(room, end);
    }
  }
  end += tail.copy(room, end);
  return room.subarray(0, end);
}
