import type { Breathe } from './create-breather.js';

/** The data before a marker, without its stuffing; good until the next one is asked for. */
export interface Piece {
  readonly data: Buffer;
  /** Bytes of data in it; what lies behind them in the buffer means nothing. */
  readonly length: number;
  /** The marker that ended it, 0 for the end of the file. */
  readonly marker: number;
}

/** Whether a marker only separates two pieces of one scan. */
export const isRestart = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd7;

const MARKERS_BETWEEN_BREATHS = 1_000;

/** Takes the data of a scan apart at its restart markers (ITU T.81, annex B); the last piece is the one before any other marker. */
export async function* splitScan(
  bytes: Buffer,
  start: number,
  breathe: Breathe,
): AsyncGenerator<Piece, void> {
  const data = Buffer.alloc(bytes.length - start);
  let length = 0;
  let from = start;
  for (let markers = 1; ; markers += 1) {
    if (markers % MARKERS_BETWEEN_BREATHS === 0) await breathe();
    const at = bytes.indexOf(0xff, from);
    const end = at < 0 ? bytes.length : at;
    const next = bytes[end + 1] ?? -1;
    // The zero behind a stuffed 0xff is none of the data; of several 0xff all but the last only fill.
    length += bytes.copy(data, length, from, next === 0 ? end + 1 : end);
    from = end + (next === 0xff ? 1 : 2);
    if (next === 0 || next === 0xff) continue;
    yield { data, length, marker: Math.max(0, next) };
    if (!isRestart(next)) return;
    length = 0;
  }
}
