import type { BodyDecoder } from '../port.js';
import { type Base64Writer, createBase64Writer } from './base64-writer.js';

/** Parsed JSON whose long strings are kept as bytes. */
export interface DecodedJson {
  /** Parsed value; strings of more than 64 KiB are replaced by short references. */
  readonly value: unknown;
  /** Returns the bytes of a base64 string or base64 data URL of `value`, of any length; other characters are skipped. */
  readonly decodeBytes: (text: string) => Promise<Buffer>;
  /** Bytes of the long strings. */
  readonly imageBytes: number;
}

/** Decoder of a JSON response. */
export interface JsonDecoder extends BodyDecoder {
  /** Parses what was written. Throws SyntaxError. */
  readonly parse: () => DecodedJson;
  /** Returns true once there is more text than can be parsed: no further byte changes that. */
  readonly isTooLong: () => boolean;
}

const LONG_BYTES = 64 * 1024;
/** Text of a response without its images. Parsing more would stop the event loop. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024;
const FIRST_TEXT_BYTES = 4 * 1024;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const BYTE_ORDER_MARK = Buffer.from('efbbbf', 'hex');
const DATA_URL = Buffer.from('data:');
const REFERENCE = 'long-text:';

/**
 * Creates the decoder of JSON with images. A string that becomes long is decoded as base64 straight into the buffer while it
 * arrives, and is never a JavaScript string. All other text is collected and parsed at the end.
 */
export function createJsonDecoder(): JsonDecoder {
  let buffer: Buffer = Buffer.alloc(0);
  let used = 0;
  let text: Buffer = Buffer.allocUnsafe(FIRST_TEXT_BYTES);
  let textBytes = 0;
  let isTooLong = false;
  const long: { readonly start: number; readonly end: number }[] = [];
  let isInString = false;
  /** Where the current string begins in the text, and how many bytes it has so far. */
  let stringStart = 0;
  let stringBytes = 0;
  /** Backslashes at the end of the piece before, while in a string. */
  let backslashes = 0;
  let image: { readonly start: number; readonly writer: Base64Writer } | null = null;

  const addText = (bytes: Buffer): void => {
    if (textBytes + bytes.length > MAX_TEXT_BYTES + LONG_BYTES) {
      isTooLong = true;
      return;
    }
    if (textBytes + bytes.length > text.length) {
      const grown = Buffer.allocUnsafe(2 * (textBytes + bytes.length));
      text.copy(grown, 0, 0, textBytes);
      text = grown;
    }
    textBytes += bytes.copy(text, textBytes);
  };
  const beginImage = (piece: Buffer): void => {
    const start = used;
    const writer = createBase64Writer(() => buffer, start);
    image = { start, writer };
    const head = Buffer.concat([text.subarray(stringStart, textBytes), piece]);
    textBytes = stringStart;
    addText(Buffer.from(`${REFERENCE}${long.length}`));
    const comma = head.subarray(0, DATA_URL.length).equals(DATA_URL) ? head.indexOf(COMMA) : -1;
    writer.write(head.subarray(comma + 1));
  };
  const endString = (): void => {
    if (image !== null) {
      used = image.writer.end();
      long.push({ start: image.start, end: used });
      image = null;
    }
    isInString = false;
  };
  /** Returns the position of the quote that ends the current string; -1 when the piece does not have it. */
  const findStringEnd = (piece: Buffer, from: number): number => {
    for (let close = piece.indexOf(QUOTE, from); ; close = piece.indexOf(QUOTE, close + 1)) {
      const end = close === -1 ? piece.length : close;
      let count = 0;
      while (end - 1 - count >= from && piece[end - 1 - count] === BACKSLASH) {
        count += 1;
      }
      if (end - 1 - count < from) {
        count += backslashes;
      }
      if (close === -1) {
        backslashes = count;
        return -1;
      }
      if (count % 2 === 0) {
        return close;
      }
    }
  };

  return {
    write: (piece) => {
      let from = 0;
      let at = 0;
      while (at < piece.length) {
        if (!isInString) {
          const open = piece.indexOf(QUOTE, at);
          if (open === -1) {
            break;
          }
          at = open + 1;
          isInString = true;
          stringStart = textBytes + at - from;
          stringBytes = 0;
          backslashes = 0;
        }
        const close = findStringEnd(piece, at);
        const end = close === -1 ? piece.length : close;
        stringBytes += end - at;
        if (image !== null) {
          image.writer.write(piece.subarray(at, end));
          from = end;
        } else if (stringBytes > LONG_BYTES) {
          addText(piece.subarray(from, at));
          beginImage(piece.subarray(at, end));
          from = end;
        }
        if (close === -1) {
          break;
        }
        endString();
        at = close + 1;
      }
      addText(piece.subarray(from));
    },
    // Only decoded base64 is in the buffer: three bytes of each four letters.
    measureRoom: (bytes) => Math.ceil((3 * bytes) / 4),
    bytes: () => buffer.subarray(0, image === null ? used : image.writer.position()),
    replace: (next) => {
      buffer = next;
    },
    isTooLong: () => isTooLong,
    parse: () => {
      if (isTooLong || textBytes > MAX_TEXT_BYTES) {
        throw new SyntaxError('the text of the response is too long');
      }
      const start = text.subarray(0, textBytes).indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
      const value: unknown = JSON.parse(text.toString('utf8', start, textBytes));
      return {
        value,
        imageBytes: used,
        decodeBytes: (given) => Promise.resolve(find(given) ?? decodeShort(given)),
      };
    },
  };

  function find(given: string): Buffer | null {
    const number = given.startsWith(REFERENCE) ? Number(given.slice(REFERENCE.length)) : Number.NaN;
    const range = long[number];
    return range ? buffer.subarray(range.start, range.end) : null;
  }
}

/** Decodes JSON that is whole already. Throws SyntaxError. */
export function decodeJson(bytes: Buffer): DecodedJson {
  const decoder = createJsonDecoder();
  decoder.replace(Buffer.allocUnsafe(decoder.measureRoom(bytes.length)));
  decoder.write(bytes);
  return decoder.parse();
}

function decodeShort(given: string): Buffer {
  const letters = Buffer.from(given, 'latin1');
  const comma = letters.subarray(0, DATA_URL.length).equals(DATA_URL) ? letters.indexOf(COMMA) : -1;
  const bytes = Buffer.allocUnsafe(letters.length);
  const writer = createBase64Writer(() => bytes, 0);
  writer.write(letters.subarray(comma + 1));
  return bytes.subarray(0, writer.end());
}

/** Object of a JSON response with unknown fields. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Returns a JSON object; null for any other value. */
export function asRecord(value: unknown): JsonRecord | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : null;
}
