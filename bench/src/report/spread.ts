import { median } from './median.js';

/** Minimum, median and maximum of some numbers, with so many digits. */
export function spread(values: readonly number[], digits = 0): string {
  return [Math.min(...values), median(values), Math.max(...values)]
    .map((value) => value.toFixed(digits))
    .join(' / ');
}
