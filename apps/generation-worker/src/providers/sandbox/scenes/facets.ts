import type { Palette } from '../create-palette.js';
import type { SeededRandom } from '../create-random.js';
import type { Size } from '../get-size.js';

/** A field of triangles whose colours drift from one corner to the other, with a light falling on some. */
export function facets(random: SeededRandom, palette: Palette, { width, height }: Size): string {
  const columns = Math.round(width / (70 + random() * 50));
  const cell = width / columns;
  const rows = Math.ceil(height / cell);
  const angle = random() * 2 * Math.PI;
  const points = Array.from({ length: rows + 1 }, (_, row) =>
    Array.from({ length: columns + 1 }, (_unused, column) => {
      const edge = row === 0 || column === 0 || row === rows || column === columns;
      const jitter = edge ? 0 : cell * 0.38;
      return [column * cell + jitter * (2 * random() - 1), row * cell + jitter * (2 * random() - 1)] as const;
    }),
  );
  const triangles: string[] = [];
  const add = (corners: readonly (readonly [number, number] | undefined)[]): void => {
    const known = corners.flatMap((corner) => (corner ? [corner] : []));
    const x = known.reduce((sum, corner) => sum + corner[0], 0) / 3 / width - 0.5;
    const y = known.reduce((sum, corner) => sum + corner[1], 0) / 3 / height - 0.5;
    const drift = 0.5 + 0.62 * (x * Math.cos(angle) + y * Math.sin(angle)) + 0.16 * (random() - 0.5);
    const fill = random() < 0.03 ? palette.accent : palette.layer(Math.min(1, Math.max(0, drift)));
    const path = known.map((corner) => corner.map((value) => value.toFixed(1)).join()).join(' ');
    triangles.push(`<polygon points="${path}" fill="${fill}" stroke="${fill}" stroke-width="1"/>`);
    if (random() < 0.25) {
      triangles.push(`<polygon points="${path}" fill="${palette.light}" opacity=".12"/>`);
    }
  };
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const [a, b] = [points[row]?.[column], points[row]?.[column + 1]];
      const [c, d] = [points[row + 1]?.[column], points[row + 1]?.[column + 1]];
      add([a, b, c]);
      add([b, d, c]);
    }
  }
  return triangles.join('');
}
