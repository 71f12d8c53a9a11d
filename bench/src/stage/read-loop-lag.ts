import type { Program } from './start-program.js';

/** Delays of an event loop in milliseconds since the last read. */
export interface LoopLag {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * Reads from the metrics of a program how late its event loop was, by `monitorEventLoopDelay`. Its resolution of 10 ms is in
 * each figure.
 */
export async function readLoopLag({ metricsUrl }: Pick<Program, 'metricsUrl'>): Promise<LoopLag> {
  const metrics = await fetch(`${metricsUrl}/metrics`).then((response) => response.text());
  const read = (part: string): number =>
    Number(new RegExp(`^nodejs_eventloop_lag_${part}_seconds(?:{.*})? (.+)$`, 'm').exec(metrics)?.[1]) *
    1_000;
  return { p50: read('p50'), p99: read('p99'), max: read('max') };
}

/** Describes the delays of an event loop. */
export function showLoopLag({ p50, p99, max }: LoopLag): string {
  return `event loop p50 / p99 / max ${p50.toFixed(1)} / ${p99.toFixed(1)} / ${max.toFixed(1)} ms`;
}
