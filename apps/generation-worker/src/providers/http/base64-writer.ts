/** Writer of base64 letters that come in pieces. */
export interface Base64Writer {
  /** Decodes letters to the end of what was decoded before; other characters are skipped. */
  readonly write: (letters: Buffer) => void;
  /** Returns where the bytes so far end. */
  readonly position: () => number;
  /** Decodes the remaining letters. Returns where the bytes end. */
  readonly end: () => number;
}

/** `\u002f` is the longest escape. */
const ESCAPE_BYTES = 6;
/** Strings of this size live and end among the youngest objects of the heap. */
const PIECE_BYTES = 48 * 1024;
// Line breaks and padding; the letters of both alphabets of RFC 4648 stay.
const NOT_BASE64 = /[^A-Za-z0-9+/_-]+/g;
const ESCAPES = /\\(?:u([0-9a-fA-F]{4})|(.))/gs;
const OPEN_ESCAPE = /\\(?:u[0-9a-fA-F]{0,3})?$/;

/** Creates a writer that decodes into a buffer from a position on. */
export function createBase64Writer(getBuffer: () => Buffer, start: number): Base64Writer {
  let size = start;
  let carry = '';
  let partial = '';

  const decode = (text: string): void => {
    if (text === '') {
      return;
    }
    if (carry === '' && text.length % 4 === 0) {
      const written = getBuffer().write(text, size, 'base64');
      if (written * 4 === text.length * 3) {
        size += written;
        return;
      }
    }
    const letters = carry + text.replace(NOT_BASE64, '');
    // Four letters are three bytes; remaining letters belong to the next piece.
    const whole = letters.length - (letters.length % 4);
    size += getBuffer().write(letters.slice(0, whole), size, 'base64');
    carry = letters.slice(whole);
  };
  /** Removes escapes, of which only those of base64 letters matter. One that is not complete yet waits for the next piece. */
  const removeEscapes = (text: string): string => {
    const all = partial + text;
    partial = OPEN_ESCAPE.exec(all.slice(-ESCAPE_BYTES))?.[0] ?? '';
    return all
      .slice(0, all.length - partial.length)
      .replace(ESCAPES, (_escape, code: string | undefined, letter: string | undefined) =>
        code === undefined ? (letter === '/' ? '/' : '') : String.fromCharCode(Number.parseInt(code, 16)),
      );
  };
  const decodeSlice = (letters: Buffer, from: number, to: number): void => {
    const text = letters.toString('latin1', from, to);
    const isEscaped = partial !== '' || text.includes('\\');
    decode(isEscaped ? removeEscapes(text) : text);
  };
  return {
    write: (letters) => {
      // Pieces end anywhere: letters that complete the carry go first, so that the others can be decoded in groups of four.
      const first = carry === '' ? 0 : Math.min(4 - carry.length, letters.length);
      decodeSlice(letters, 0, first);
      const last = letters.length - ((letters.length - first) % 4);
      for (let at = first; at < last; at += PIECE_BYTES) {
        decodeSlice(letters, at, Math.min(at + PIECE_BYTES, last));
      }
      decodeSlice(letters, last, letters.length);
    },
    position: () => size,
    end: () => {
      size += getBuffer().write(carry, size, 'base64');
      carry = '';
      return size;
    },
  };
}
