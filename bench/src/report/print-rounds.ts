import type { Round } from '../load/compete.js';
import type { Bench } from '../stage/bench.js';
import { median } from './median.js';
import { spread } from './spread.js';

/** Prints what contestants did: requests a second, CPU of their own process, and ratios to the first one and to each other, round by round. */
export function printRounds(bench: Bench, rounds: ReadonlyMap<string, readonly Round[]>): void {
  const names = [...rounds.keys()];
  for (const [name, own] of rounds) {
    const rates = own.map(({ perSecond }) => perSecond);
    const cpu = median(own.map(({ cpuMicros }) => cpuMicros.process ?? 0));
    const all = median(
      own.map(({ cpuMicros }) => Object.values(cpuMicros).reduce((sum, micros) => sum + micros, 0)),
    );
    const ratios = names
      .filter((other) => other !== name && names.indexOf(other) < names.indexOf(name))
      .map((other) => `${getRatio(own, rounds.get(other) ?? [])} of ${other}`);
    bench.say(
      `  ${name.padEnd(22)} ${spread(rates)}/s  cpu ${Math.round(cpu)} µs, with services ${Math.round(all)} µs  ${ratios.join(', ')}`,
    );
  }
}

function getRatio(own: readonly Round[], other: readonly Round[]): string {
  return spread(
    own.map(({ perSecond }, i) => perSecond / Math.max(1, other[i]?.perSecond ?? 0)),
    2,
  );
}
