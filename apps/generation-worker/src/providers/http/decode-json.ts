import { setImmediate as nextTurn } from 'node:timers/promises';

/** Parsed JSON whose long strings are kept as bytes. */
export interface DecodedJson {
  /** Parsed value; strings of 64 KiB and more are replaced by short references. */
  readonly value: unknown;
  /** Returns the bytes of a base64 string or base64 data URL of `value`, of any length; other characters are skipped. */
  readonly decodeBytes: (text: string) => Promise<Buffer>;
}

const LONG_CHARACTERS = 64 * 1024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const PIECE_BYTES = 2 * 1024 * 1024;
// Line breaks and padding; the letters of both alphabets of RFC 4648 stay.
const NOT_BASE64 = /[^A-Za-z0-9+/_-]+/g;
const ESCAPES = /\\(?:u([0-9a-fA-F]{4})|(.))/gs;
const REFERENCE = 'long-text:';

/** Parses JSON without turning the images in it into JavaScript strings. Throws SyntaxError. */
export function decodeJson(bytes: Buffer): DecodedJson {
  const long: Buffer[] = [];
  const parts: Buffer[] = [];
  let taken = 0;
  for (let open = bytes.indexOf(QUOTE); open !== -1; ) {
    const close = findStringEnd(bytes, open + 1);
    if (close === -1) {
      break;
    }
    if (close - open > LONG_CHARACTERS) {
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
    decodeBytes: (text) => {
      const number = text.startsWith(REFERENCE) ? Number(text.slice(REFERENCE.length)) : Number.NaN;
      return decodeBase64(long[number] ?? Buffer.from(text, 'latin1'));
    },
  };
}

function findStringEnd(bytes: Buffer, from: number): number {
  for (let close = bytes.indexOf(QUOTE, from); close !== -1; close = bytes.indexOf(QUOTE, close + 1)) {
    let backslashes = 0;
    while (bytes[close - 1 - backslashes] === BACKSLASH) {
      backslashes += 1;
    }
    if (backslashes % 2 === 0) {
      return close;
    }
  }
  return -1;
}

async function decodeBase64(text: Buffer): Promise<Buffer> {
  const plain = text.includes(BACKSLASH) ? removeEscapes(text) : text;
  const comma = plain.subarray(0, 5).toString('latin1') === 'data:' ? plain.indexOf(COMMA) : -1;
  const encoded = plain.subarray(comma + 1);
  // In place, so that text and image together take no more than twice the text.
  const bytes = Buffer.allocUnsafe(encoded.length);
  let size = 0;
  let carry = '';
  for (let at = 0; at < encoded.length; at += PIECE_BYTES) {
    const piece = encoded.toString('latin1', at, at + PIECE_BYTES);
    const written = carry === '' ? bytes.write(piece, size, 'base64') : 0;
    if (written * 4 === piece.length * 3) {
      size += written;
    } else {
      const letters = carry + piece.replace(NOT_BASE64, '');
      // Four letters are three bytes; remaining letters belong to the next piece.
      const whole = letters.length - (letters.length % 4);
      size += bytes.write(letters.slice(0, whole), size, 'base64');
      carry = letters.slice(whole);
    }
    if (encoded.length > PIECE_BYTES) {
      await nextTurn();
    }
  }
  size += bytes.write(carry, size, 'base64');
  return bytes.subarray(0, size);
}

/** Removes escapes, which `JSON.parse` has not decoded in long strings. Only those of base64 letters matter. */
function removeEscapes(text: Buffer): Buffer {
  const plain = text
    .toString('latin1')
    .replace(ESCAPES, (_escape, code: string | undefined, letter: string | undefined) =>
      code === undefined ? (letter === '/' ? '/' : '') : String.fromCharCode(Number.parseInt(code, 16)),
    );
  return Buffer.from(plain, 'latin1');
}
