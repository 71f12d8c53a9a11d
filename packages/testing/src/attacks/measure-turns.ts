import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const extension = path.extname(fileURLToPath(import.meta.url));

/** Arguments of Node with which a process writes down how late its event loop is. */
export const TURN_METER_ARGS: readonly string[] = [
  '--import',
  new URL(`./turn-meter${extension}`, import.meta.url).href,
];

/** How late the event loop of a process was, in milliseconds, without the time for which the machine gave it no processor. */
export interface Turns {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/**
 * Measures the event loop of a process started with `TURN_METER_ARGS`. The returned function gives the figures since then; it
 * throws once the process has ended.
 */
export function measureTurns(pid: number): () => Turns {
  const file = path.join(tmpdir(), `image-gateway-turns-${pid}`);
  const read = (): readonly number[] => readFileSync(file, 'utf8').trim().split('\n').map(Number);
  const seen = read().length;
  return () => {
    const late = read()
      .slice(seen)
      .sort((one, other) => one - other);
    const at = (share: number): number => late[Math.ceil(share * late.length) - 1] ?? 0;
    return { p50: at(0.5), p99: at(0.99), max: at(1) };
  };
}
