import { randomBase62 } from '@image-gateway/shared/ids';
import { findShapeFault, JSON_BOUNDS } from '../../http/framework/check-json-shape.js';
import { FieldError, invalidField, tooManyImages } from './field-error.js';

/** Part of a data URL that a piece of a body holds. */
export type SplitEvent =
  /** A data URL begins, in the place that `marker` stands for. */
  | { readonly kind: 'begin'; readonly field: string; readonly marker: string }
  /** The bytes are valid until the next event. */
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'end' };

/** Fields of a JSON body that may hold data URLs. */
export interface ImageFieldNames {
  readonly isImage: (name: string) => boolean;
  /** True where `mask` may hold one too. */
  readonly hasMask: boolean;
}

/** Takes the data URLs of image fields out of a JSON body as it arrives. */
export interface JsonSplitter {
  /** Yields what the next piece of the body holds. Throws FieldError. */
  readonly split: (chunk: Buffer) => Generator<SplitEvent>;
  /** Returns the body at its end, with markers in the place of data URLs. Throws FieldError. */
  readonly parse: () => unknown;
}

/** Longest start of a data URL, up to its comma. */
const MAX_HEAD = 240;
const DATA_URL = /^data:[^,"]*;base64,$/i;
const KEY_BYTES = 64;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** No byte of base64. */
const NOTHING = 255;
/** Six bits of each byte of base64, in both alphabets; NOTHING for any other byte. */
const SEXTETS = new Uint8Array(256).fill(NOTHING);
for (const [value, byte] of Buffer.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
).entries()) {
  SEXTETS[byte] = value;
}
[SEXTETS[0x2d], SEXTETS[0x5f]] = [62, 63];

/** Where the reader of a body is. */
type Place = 'structure' | 'string' | 'head' | 'data';

/**
 * Creates the splitter of a body whose text, without data URLs, has at most `maxTextBytes`. It looks at each byte once, and keeps the text
 * and no image. An image field that has more than `maxImages` entries ends the body, however many follow, and so does a second mask.
 */
export function createJsonSplitter({
  maxTextBytes,
  maxImages,
  fields: { isImage, hasMask },
}: {
  readonly maxTextBytes: number;
  readonly maxImages: number;
  readonly fields: ImageFieldNames;
}): JsonSplitter {
  // A client cannot guess it, and so cannot send a marker.
  const secret = randomBase62(128);
  const text: Buffer[] = [];
  let textBytes = 0;
  let place: Place = 'structure';
  let isEscaped = false;
  let depth = 0;
  /** Text of the last string in the outermost object, which a colon makes the name of a field. */
  let name: number[] = [];
  let field = '';
  let entries = 0;
  let isList = false;
  let uploads = 0;
  let masks = 0;
  let head: number[] = [];
  /** Digits of an escape such as `\u002f` that are still to come, and their value so far. */
  let digits = 0;
  let code = 0;
  /** Bits of a data URL that are no whole group yet, and how many bytes of base64 they are from. */
  let bits = 0;
  let sextets = 0;
  /** Decoded bytes of a piece. The next one overwrites them. */
  let out: Buffer = Buffer.alloc(0);

  const keep = (bytes: Buffer): void => {
    textBytes += bytes.length;
    if (textBytes > maxTextBytes) {
      throw new FieldError('BAD_REQUEST', {
        publicMessage: `The body is larger than ${maxTextBytes / 1024} KiB, its images not counted.`,
      });
    }
    text.push(Buffer.from(bytes));
  };
  const countEntry = (): void => {
    entries += 1;
    if (entries > maxImages) {
      throw tooManyImages(field);
    }
  };
  const readStructure = (byte: number): void => {
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
      depth += 1;
      if (depth > JSON_BOUNDS.depth) {
        throw new FieldError('BAD_REQUEST', { publicMessage: 'The body is nested too deeply.' });
      }
      if (depth === 2 && isImage(field)) {
        isList = byte === OPEN_LIST;
        entries = 1;
      }
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      depth -= 1;
      isList = isList && depth > 1;
    } else if (byte === COLON && depth === 1) {
      field = Buffer.from(name).toString();
    } else if (byte === COMMA) {
      if (depth === 1) {
        field = '';
      } else if (depth === 2 && isList) {
        countEntry();
      }
    }
  };
  /** Decides about a string of an image field when its start is known. */
  const isDataUrl = (): boolean => DATA_URL.test(Buffer.from(head).toString('latin1').replaceAll('\\/', '/'));

  const split = function* (chunk: Buffer): Generator<SplitEvent> {
    /** Where the bytes of this piece begin that are text and not kept yet. */
    let from = 0;
    let length = 0;
    if (out.length < chunk.length) {
      out = Buffer.allocUnsafe(chunk.length);
    }
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (place === 'structure') {
        if (byte === QUOTE) {
          place = depth > 0 && (isImage(field) || (hasMask && field === 'mask')) ? 'head' : 'string';
          head = [];
          name = [];
        } else {
          readStructure(byte);
        }
        continue;
      }
      if (place === 'string') {
        if (isEscaped) {
          isEscaped = false;
        } else if (byte === BACKSLASH) {
          isEscaped = true;
        } else if (byte === QUOTE) {
          place = 'structure';
          continue;
        }
        if (depth === 1 && name.length < KEY_BYTES) {
          name.push(byte);
        }
        continue;
      }
      if (place === 'head') {
        if (byte === QUOTE && !isEscaped) {
          place = 'structure';
          continue;
        }
        isEscaped = !isEscaped && byte === BACKSLASH;
        head.push(byte);
        if (byte === COMMA && isDataUrl()) {
          if (!isImage(field)) {
            masks += 1;
          } else {
            uploads += 1;
          }
          if (masks > 1) {
            throw invalidField(field, 'mask must be one image.');
          }
          if (uploads > maxImages) {
            throw tooManyImages(field);
          }
          const marker = `${secret}:${uploads}:${masks}`;
          // The start of the data URL stays in the text, in front of its marker.
          keep(chunk.subarray(from, at + 1));
          keep(Buffer.from(marker));
          place = 'data';
          [bits, sextets, length] = [0, 0, 0];
          yield { kind: 'begin', field, marker };
        } else if (byte === COMMA || head.length >= MAX_HEAD) {
          place = 'string';
        }
        continue;
      }
      let carried = byte;
      if (digits > 0) {
        digits -= 1;
        code = code * 16 + Number.parseInt(String.fromCharCode(byte), 16);
        if (digits > 0) {
          continue;
        }
        carried = code;
      } else if (isEscaped) {
        isEscaped = false;
        if (byte === 0x75) {
          [digits, code] = [4, 0];
          continue;
        }
        // A slash may be escaped; line breaks carry nothing.
        carried = byte === 0x2f ? byte : 0;
      } else if (byte === BACKSLASH) {
        isEscaped = true;
        continue;
      } else if (byte === QUOTE) {
        place = 'structure';
        from = at;
        // Two bytes of a last group hold one byte, three of them two.
        if (sextets > 1) {
          bits <<= 6 * (4 - sextets);
          out[length++] = bits >>> 16;
          if (sextets === 3) {
            out[length++] = bits >>> 8;
          }
        }
        yield { kind: 'bytes', bytes: out.subarray(0, length) };
        yield { kind: 'end' };
        continue;
      }
      const sextet = SEXTETS[carried & 0xff] ?? NOTHING;
      if (sextet !== NOTHING && carried < 256) {
        bits = (bits << 6) | sextet;
        sextets += 1;
        if (sextets === 4) {
          out[length++] = bits >>> 16;
          out[length++] = bits >>> 8;
          out[length++] = bits;
          [bits, sextets] = [0, 0];
        }
      }
    }
    if (place === 'data') {
      if (length > 0) {
        yield { kind: 'bytes', bytes: out.subarray(0, length) };
      }
    } else {
      keep(chunk.subarray(from));
    }
  };
  return {
    split,
    parse: () => {
      const bytes = Buffer.concat(text);
      const publicMessage = findShapeFault(bytes);
      if (publicMessage !== null) {
        throw new FieldError('BAD_REQUEST', { publicMessage });
      }
      try {
        return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
      } catch {
        throw invalidJson();
      }
    },
  };
}

/** Returns the error of a body that is no JSON, or ended too early. */
export function invalidJson(): FieldError {
  return new FieldError('BAD_REQUEST', { publicMessage: 'The body is not valid JSON.' });
}
