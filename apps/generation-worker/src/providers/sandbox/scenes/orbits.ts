import type { Palette } from '../create-palette.js';
import type { SeededRandom } from '../create-random.js';
import type { Size } from '../get-size.js';

/** Translucent discs and rings around a few centres. */
export function orbits(random: SeededRandom, palette: Palette, { width, height }: Size): string {
  const side = Math.min(width, height);
  const centres = Array.from({ length: 3 }, () => ({
    x: width * (0.15 + 0.7 * random()),
    y: height * (0.15 + 0.7 * random()),
    size: side * (0.3 + 0.35 * random()),
  }));
  const discs = centres.flatMap(({ x, y, size }, i) =>
    Array.from({ length: 7 }, (_, ring) => {
      const r = size * (1 - ring / 8);
      const shift = ring * size * 0.03;
      return `<circle cx="${x + shift}" cy="${y - shift}" r="${r}" fill="${palette.layer((ring / 7 + i / 5) % 1)}" opacity=".34"/>`;
    }),
  );
  const rings = centres.flatMap(({ x, y, size }) =>
    Array.from({ length: 3 }, () => {
      const r = size * (1.05 + random() * 0.7);
      const dash = `${(10 + random() * 160).toFixed(0)} ${(10 + random() * 90).toFixed(0)}`;
      return (
        `<circle cx="${x}" cy="${y}" r="${r}" fill="none" stroke="${palette.light}" stroke-width="${1 + random() * 5}" ` +
        `stroke-dasharray="${dash}" opacity=".7"/>`
      );
    }),
  );
  const dots = Array.from({ length: 40 }, () => {
    const colour = random() < 0.3 ? palette.accent : palette.light;
    return (
      `<circle cx="${random() * width}" cy="${random() * height}" r="${1 + random() * side * 0.012}" fill="${colour}" ` +
      `opacity="${0.3 + random() * 0.6}"/>`
    );
  });
  return [...discs, ...rings, ...dots].join('');
}
