/** Decoder of one response, which takes it piece by piece. Its bytes are in one buffer, which its owner provides. */
export interface BodyDecoder {
  /** Decodes the next bytes, and keeps none of the buffer that they are in. Needs room for as many bytes. */
  readonly write: (piece: Buffer) => void;
  /** Returns the bytes so far. */
  readonly bytes: () => Buffer;
  /** Replaces the buffer by one that begins with the bytes so far; an empty one parks the decoder. */
  readonly replace: (buffer: Buffer) => void;
}

/** Creates the decoder of a response that is taken as it is. */
export function createPlainDecoder(): BodyDecoder {
  let buffer: Buffer = Buffer.alloc(0);
  let length = 0;
  return {
    write: (piece) => {
      length += piece.copy(buffer, length);
    },
    bytes: () => buffer.subarray(0, length),
    replace: (next) => {
      buffer = next;
    },
  };
}
