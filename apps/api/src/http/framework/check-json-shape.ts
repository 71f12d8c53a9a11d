/** Bounds of a JSON text. */
export interface JsonBounds {
  /** Deepest nesting of objects and lists. */
  readonly depth: number;
  /** Most entries of one list, and keys of one object. */
  readonly entries: number;
}

/** Bounds of every body: far more than any request of ours has. */
export const JSON_BOUNDS: JsonBounds = { depth: 32, entries: 1_000 };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Returns what is wrong with the shape of a JSON text, without parsing it; null for a shape within the bounds. A parser would
 * take memory many times the size of nested brackets. The time follows the bytes, and invalid JSON is left to the parser.
 */
export function findShapeFault(bytes: Buffer, { depth, entries }: JsonBounds = JSON_BOUNDS): string | null {
  const commas: number[] = [];
  for (let at = 0; at < bytes.length; at += 1) {
    switch (bytes[at] ?? 0) {
      case QUOTE:
        at = findStringEnd(bytes, at + 1);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        commas.push(0);
        if (commas.length > depth) {
          return `The body is nested deeper than ${depth} levels.`;
        }
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        commas.pop();
        break;
      case COMMA: {
        const count = (commas.at(-1) ?? 0) + 1;
        commas[commas.length - 1] = count;
        if (count >= entries) {
          return `The body has a list or an object with more than ${entries} entries.`;
        }
        break;
      }
      default:
    }
  }
  return null;
}

/** Returns the place of the quote that ends a string; the end of the bytes where none does. */
function findStringEnd(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(QUOTE, start); at >= 0; at = bytes.indexOf(QUOTE, at + 1)) {
    let backslashes = 0;
    while (at - backslashes > start && bytes[at - 1 - backslashes] === BACKSLASH) {
      backslashes += 1;
    }
    if (backslashes % 2 === 0) {
      return at;
    }
  }
  return bytes.length;
}
