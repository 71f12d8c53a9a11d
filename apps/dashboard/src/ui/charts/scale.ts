/** Scale of an axis from zero: the distance of its ticks and the ticks themselves. */
export interface Scale {
  readonly step: number;
  readonly top: number;
  readonly ticks: readonly number[];
}

const TICKS = 4;
const STEPS = [1, 2, 2.5, 5, 10];

/** Creates a scale with about four round steps up to a value; a count has no step below one. */
export function createScale(most: number, isCount = false): Scale {
  const raw = (most > 0 ? most : 1) / TICKS;
  const power = 10 ** Math.floor(Math.log10(raw));
  const round = STEPS.map((one) => one * power).find((one) => one >= raw * 0.999_999) ?? raw;
  const step = isCount ? Math.max(1, Math.ceil(round)) : round;
  const count = Math.max(1, Math.ceil(most / step - 0.000_001));
  return { step, top: count * step, ticks: Array.from({ length: count + 1 }, (_, index) => index * step) };
}
