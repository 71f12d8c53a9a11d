/** A Huffman code, looked up by its next 16 bits: length in the upper byte, symbol in the lower one, 0 when there is no such code. */
export type HuffmanTable = Uint16Array;

const BITS = 16;

/** Builds a code from its definition in a DHT segment (ITU T.81, annex C): how many codes there are of each length, and the symbols in order. */
export function huffmanTable(counts: Uint8Array, symbols: Uint8Array): HuffmanTable {
  const table = new Uint16Array(1 << BITS);
  let code = 0;
  let next = 0;
  for (let length = 1; length <= BITS; length += 1) {
    for (let i = 0; i < (counts[length - 1] ?? 0); i += 1) {
      const first = code << (BITS - length);
      table.fill((length << 8) | (symbols[next] ?? 0), first, first + (1 << (BITS - length)));
      code += 1;
      next += 1;
    }
    code <<= 1;
  }
  return table;
}
