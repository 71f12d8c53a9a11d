import type { Palette } from '../create-palette.js';
import type { SeededRandom } from '../create-random.js';
import type { Size } from '../get-size.js';

/** Hills behind hills under a sun or a moon, with stars when there are any. */
export function hills(random: SeededRandom, palette: Palette, { width, height }: Size): string {
  const horizon = height * (0.42 + random() * 0.16);
  const radius = Math.min(width, height) * (0.06 + random() * 0.1);
  const sunX = width * (0.2 + random() * 0.6);
  const sunY = horizon - radius * (0.4 + random() * 2.2);
  const halo = [4.2, 3, 2, 1.45].map(
    (times) =>
      `<circle cx="${sunX}" cy="${sunY}" r="${radius * times}" fill="${palette.light}" opacity=".1"/>`,
  );
  const stars = Array.from({ length: 70 }, () => {
    const [x, y, size] = [random() * width, random() * horizon * 0.8, 0.6 + random() * 1.6];
    return (
      `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${size.toFixed(2)}" fill="#fff" ` +
      `opacity="${(random() * 0.6).toFixed(2)}"/>`
    );
  });
  const count = 5 + Math.floor(random() * 4);
  const ridges = Array.from({ length: count }, (_, i) => {
    const depth = (i + 1) / count;
    const base = horizon + (height - horizon) * 0.86 * (i / count);
    const line = ridge(random, { width, base, rise: height * (0.05 + 0.09 * (1 - depth) + 0.05 * random()) });
    return `<path d="${line} V${height} H0 Z" fill="${palette.layer(depth)}"/>`;
  });
  return [
    ...stars,
    ...halo,
    `<circle cx="${sunX}" cy="${sunY}" r="${radius}" fill="${palette.light}"/>`,
    ...ridges,
  ].join('');
}

function ridge(random: SeededRandom, line: { width: number; base: number; rise: number }): string {
  const waves = [1, 2.3, 5.1, 11].map((frequency) => ({
    frequency: frequency * (0.7 + 0.6 * random()),
    phase: random() * 2 * Math.PI,
    share: 1 / frequency ** 0.9,
  }));
  const points = Array.from({ length: 97 }, (_, i) => {
    const x = i / 96;
    const lift = waves.reduce(
      (sum, { frequency, phase, share }) => sum + share * Math.sin(2 * Math.PI * frequency * x + phase),
      0,
    );
    return `${(x * line.width).toFixed(1)},${(line.base - line.rise * lift * 0.7).toFixed(1)}`;
  });
  return `M0,${line.base} L${points.join(' ')} L${line.width},${line.base}`;
}
