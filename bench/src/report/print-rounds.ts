import type { Round } from '../load/compete.js';
import type { Bench } from '../stage/bench.js';
import { median } from './median.js';
import { spread } from './spread.js';

/**
 * Prints and scores what contestants did: requests a second, CPU of their own process, and ratios to each one before them,
 * round by round.
 */
export function printRounds(
  bench: Bench,
  scene: string,
  rounds: ReadonlyMap<string, readonly Round[]>,
): void {
  const names = [...rounds.keys()];
  for (const [name, own] of rounds) {
    const rates = own.map(({ perSecond }) => perSecond);
    const cpu = median(own.map(({ cpuMicros }) => cpuMicros.process ?? 0));
    const all = median(
      own.map(({ cpuMicros }) => Object.values(cpuMicros).reduce((sum, micros) => sum + micros, 0)),
    );
    const ratios = names
      .slice(0, names.indexOf(name))
      .map((other) => [other, getRatios(own, rounds.get(other) ?? [])] as const);
    bench.score({
      scene,
      name,
      unit: '/s',
      values: rates,
      cpuMicros: { own: Math.round(cpu), all: Math.round(all) },
      ratios: Object.fromEntries(ratios),
    });
    const shown = ratios.map(([other, values]) => `${spread(values, 2)} of ${other}`);
    bench.say(
      `  ${name.padEnd(22)} ${spread(rates)}/s  cpu ${Math.round(cpu)} µs, with services ${Math.round(all)} µs  ${shown.join(', ')}`,
    );
  }
}

function getRatios(own: readonly Round[], other: readonly Round[]): number[] {
  return own.map(({ perSecond }, i) => perSecond / Math.max(1, other[i]?.perSecond ?? 0));
}
