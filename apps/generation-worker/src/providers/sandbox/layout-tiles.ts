import type { Size } from './get-size.js';

/** Rectangle inside an image. */
export interface Tile extends Size {
  readonly left: number;
  readonly top: number;
}

const GAP = 10;

/** Divides an image into `count` tiles that fill it row by row, with a narrow frame around each. */
export function layoutTiles({ width, height }: Size, count: number): Tile[] {
  const rows = Math.max(1, Math.round(Math.sqrt((count * height) / width)));
  const tileHeight = height / rows;
  return Array.from({ length: rows }, (_, row) => {
    const first = Math.round((row * count) / rows);
    const inRow = Math.round(((row + 1) * count) / rows) - first;
    const tileWidth = width / inRow;
    return Array.from({ length: inRow }, (_unused, column) => ({
      left: Math.round(column * tileWidth) + GAP,
      top: Math.round(row * tileHeight) + GAP,
      width: Math.floor(tileWidth) - 2 * GAP,
      height: Math.floor(tileHeight) - 2 * GAP,
    }));
  }).flat();
}
