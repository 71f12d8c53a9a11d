import { randomBase62 } from '@image-gateway/shared/ids';
import { findShapeFault, JSON_BOUNDS } from '../http/framework/check-json-shape.js';
import { FieldError, invalidField, tooManyImages } from './field-error.js';

/** Part of a data URL that a piece of a body holds. */
export type SplitEvent =
  /** A data URL begins, in the place that `marker` stands for. */
  | { readonly kind: 'begin'; readonly field: string; readonly marker: string }
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

/** 1 for each byte that carries six bits of base64, in both alphabets. */
const CARRIES = new Uint8Array(256);
for (const byte of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_')) {
  CARRIES[byte] = 1;
}

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
  let rest: Buffer = Buffer.alloc(0);

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
    let out = Buffer.allocUnsafe(place === 'data' ? chunk.length : 0);
    let length = 0;
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
          [out, length] = [Buffer.allocUnsafe(chunk.length - at), 0];
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
        yield { kind: 'bytes', bytes: decode(Buffer.concat([rest, out.subarray(0, length)])) };
        rest = Buffer.alloc(0);
        yield { kind: 'end' };
        continue;
      }
      if (CARRIES[carried] === 1) {
        out[length++] = carried;
      }
    }
    if (place === 'data') {
      const all = Buffer.concat([rest, out.subarray(0, length)]);
      const whole = all.length - (all.length % 4);
      rest = all.subarray(whole);
      if (whole > 0) {
        yield { kind: 'bytes', bytes: decode(all.subarray(0, whole)) };
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

function decode(text: Buffer): Buffer {
  return Buffer.from(text.toString('latin1'), 'base64');
}
