import type { SeededRandom } from './create-random.js';

/** Colours that go together. */
export interface Palette {
  /** From the far to the near: hue turns, the colour gets deeper; 0 ≤ depth ≤ 1. */
  readonly layer: (depth: number) => string;
  readonly skyTop: string;
  readonly skyBottom: string;
  readonly light: string;
  readonly accent: string;
}

const hsl = (hue: number, saturation: number, lightness: number): string =>
  `hsl(${Math.round(((hue % 360) + 360) % 360)},${Math.round(saturation)}%,${Math.round(lightness)}%)`;

/** Picks a palette: a sky, a light in it, and layers that turn from the sky's colour towards another one. */
export function createPalette(random: SeededRandom): Palette {
  const hue = random() * 360;
  const turn = (random() < 0.5 ? -1 : 1) * (40 + random() * 110);
  const night = random() < 0.3;
  return {
    layer: (depth) => hsl(hue + turn * depth, 30 + 30 * depth, (night ? 42 : 74) - (night ? 34 : 54) * depth),
    skyTop: hsl(hue - turn * 0.2, night ? 55 : 60, night ? 12 : 58),
    skyBottom: hsl(hue + turn * 0.35, night ? 45 : 80, night ? 40 : 86),
    light: hsl(hue + turn * 0.6, 90, night ? 92 : 88),
    accent: hsl(hue + turn, 75, night ? 62 : 56),
  };
}
