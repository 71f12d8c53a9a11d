import { measureUsage } from './measure-usage.js';

/**
 * Starts to count the CPU time of processes, their children included; what it gives tells the microseconds of each per piece of
 * work since then.
 */
export function meterCpu(
  pids: Readonly<Record<string, number>>,
): (pieces: number) => Readonly<Record<string, number>> {
  const used = (pid: number): number => measureUsage(pid).cpuMs;
  const before = new Map(Object.values(pids).map((pid) => [pid, used(pid)]));
  return (pieces) =>
    Object.fromEntries(
      Object.entries(pids).map(([name, pid]) => [
        name,
        Math.round(((used(pid) - (before.get(pid) ?? 0)) * 1_000) / Math.max(1, pieces)),
      ]),
    );
}
