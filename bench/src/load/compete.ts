import type { Bench } from '../stage/bench.js';
import { meterCpu } from '../stage/meter-cpu.js';
import type { LoadResult } from './http-load.js';
import { parseTarget } from './parse-target.js';

/** Something that does work and is measured. */
export type Contestant = Server | Performer;

/** A server that takes a load. */
export interface Server {
  readonly name: string;
  /** Of all its processes, between which the load is divided. */
  readonly urls: readonly string[];
  readonly requests: readonly string[];
  /** The status that counts. */
  readonly status: number;
  /** Its processes, by name; the services come by themselves. */
  readonly pids: Readonly<Record<string, number>>;
}

/** Something that needs no load from outside: it works for so many seconds and returns how much it did a second. */
export interface Performer {
  readonly name: string;
  readonly perform: (seconds: number) => Promise<number>;
}

/** Result of one contestant in one round. */
export interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly otherAnswers: number;
  /** Microseconds of CPU a request, by process. */
  readonly cpuMicros: Readonly<Record<string, number>>;
}

/** Actions around the turns of contestants. */
export interface Surroundings {
  /** Between two turns. */
  readonly between: () => Promise<void>;
  /** Beside a contestant, for as many seconds as it runs. */
  readonly meanwhile: (contestant: Contestant, seconds: number) => Promise<void>;
}

/**
 * Lets contestants run in turn, round after round, so that what else the machine does meets all of them; each is warmed up first.
 * Every other round goes backwards: what a contestant leaves behind, such as dirty pages, meets not always the same one.
 */
export async function compete(
  bench: Bench,
  all: readonly Contestant[],
  { between = () => Promise.resolve(), meanwhile = () => Promise.resolve() }: Partial<Surroundings> = {},
): Promise<ReadonlyMap<string, readonly Round[]>> {
  const only = bench.flag('only');
  // `product` is also `product, caps`: two that are compared with each other alone.
  const contestants = all.filter(({ name }) => only === undefined || `${name},`.startsWith(`${only},`));
  const rounds = new Map<string, Round[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round <= bench.rounds; round++) {
    for (const contestant of round % 2 === 0 ? contestants : [...contestants].reverse()) {
      const seconds = round === 0 ? bench.warmUp : bench.seconds;
      const [result] = await Promise.all([
        runOne(bench, contestant, seconds),
        meanwhile(contestant, seconds),
      ]);
      if (round > 0) {
        rounds.get(contestant.name)?.push(result);
      }
      bench.say(
        `  ${round === 0 ? 'warm-up' : `round ${round}`}  ${contestant.name.padEnd(14)} ${Math.round(result.perSecond)}/s  ${result.p99 > 0 ? `p50 ${result.p50.toFixed(1)} ms  p99 ${result.p99.toFixed(1)} ms  ` : ''}cpu ${JSON.stringify(result.cpuMicros)}${result.otherAnswers ? `  OTHER ANSWERS ${result.otherAnswers}` : ''}`,
      );
      await between();
    }
  }
  return rounds;
}

async function runOne(bench: Bench, contestant: Contestant, seconds: number): Promise<Round> {
  const services = { postgres: bench.services.postgresPid, redis: bench.services.redisPid };
  if ('perform' in contestant) {
    const getCpu = meterCpu(services);
    const perSecond = await contestant.perform(seconds);
    return { perSecond, p50: 0, p99: 0, otherAnswers: 0, cpuMicros: getCpu(perSecond * seconds) };
  }
  const getCpu = meterCpu({ ...contestant.pids, ...services });
  const { urls, requests, status } = contestant;
  const { connections } = bench;
  const result: LoadResult = await bench.loader.run({ ...parseTarget(urls), seconds, connections, requests });
  const good = result.statuses[status] ?? 0;
  const all = Object.values(result.statuses).reduce((sum, count) => sum + count, 0);
  return {
    perSecond: good / result.seconds,
    p50: result.p50,
    p99: result.p99,
    otherAnswers: all - good,
    cpuMicros: getCpu(all),
  };
}
