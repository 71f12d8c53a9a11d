import { setImmediate as nextTurn } from 'node:timers/promises';

/** A JSON answer whose long strings stay bytes. */
export interface DecodedJson {
  /** What was answered; strings of 64 KiB and more stand in it as short references. */
  readonly value: unknown;
  /** The bytes behind a base64 string or a base64 data URL of `value`, short or long; whatever is no base64 is skipped. */
  readonly bytesOf: (text: string) => Promise<Buffer>;
}

const LONG = 64 * 1024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
// A multiple of four characters, so that the pieces can be decoded one by one.
const PIECE = 4 * 512 * 1024;
const REFERENCE = 'long-text:';

/** Reads a JSON answer without turning the pictures in it into JavaScript strings; throws SyntaxError. */
export function decodeJson(bytes: Buffer): DecodedJson {
  const long: Buffer[] = [];
  const parts: Buffer[] = [];
  let taken = 0;
  for (let open = bytes.indexOf(QUOTE); open !== -1; ) {
    const close = endOfString(bytes, open + 1);
    if (close === -1) break;
    if (close - open > LONG) {
      parts.push(bytes.subarray(taken, open + 1), Buffer.from(`${REFERENCE}${long.length}`));
      long.push(bytes.subarray(open + 1, close));
      taken = close;
    }
    open = bytes.indexOf(QUOTE, close + 1);
  }
  parts.push(bytes.subarray(taken));
  const value: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
  return {
    value,
    bytesOf: (text) => {
      const number = text.startsWith(REFERENCE) ? Number(text.slice(REFERENCE.length)) : Number.NaN;
      return fromBase64(long[number] ?? Buffer.from(text, 'latin1'));
    },
  };
}

function endOfString(bytes: Buffer, from: number): number {
  for (let close = bytes.indexOf(QUOTE, from); close !== -1; close = bytes.indexOf(QUOTE, close + 1)) {
    let backslashes = 0;
    while (bytes[close - 1 - backslashes] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return close;
  }
  return -1;
}

async function fromBase64(text: Buffer): Promise<Buffer> {
  const comma = text.subarray(0, 5).toString('latin1') === 'data:' ? text.indexOf(COMMA) : -1;
  const encoded = text.subarray(comma + 1);
  const parts: Buffer[] = [];
  for (let at = 0; at < encoded.length; at += PIECE) {
    parts.push(Buffer.from(encoded.subarray(at, at + PIECE).toString('latin1'), 'base64'));
    if (encoded.length > PIECE) await nextTurn();
  }
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}
