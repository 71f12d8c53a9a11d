import { createWriteStream } from 'node:fs';
import readline from 'node:readline';
import type { Readable } from 'node:stream';

/** Log output of the processes of the product. */
export interface LogWatch {
  readonly take: (process: string, stream: Readable) => void;
  /** Lines at level `error`, and lines that are no JSON, by what they say, with how often. */
  readonly faults: () => Readonly<Record<string, number>>;
  /** The first line of each of those. */
  readonly samples: () => readonly string[];
  /** Most warnings and errors that one process wrote within a second since this was last asked. */
  readonly worstSecond: () => number;
  readonly close: () => Promise<void>;
}

/** Writes all lines into one file and counts those that tell of a bug. */
export function watchLog(file: string): LogWatch {
  const out = createWriteStream(file, { mode: 0o600 });
  const faults = new Map<string, number>();
  const samples = new Map<string, string>();
  const perSecond = new Map<string, number>();
  const count = (what: string, line: string): void => {
    if (!faults.has(what)) {
      samples.set(what, line);
    }
    faults.set(what, (faults.get(what) ?? 0) + 1);
  };
  const look = (process: string, line: string): void => {
    try {
      const { level, message } = JSON.parse(line) as { level?: string; message?: string };
      if (level === 'error' || level === 'warn') {
        const second = `${process} ${Math.floor(Date.now() / 1_000)}`;
        perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
      }
      if (level === 'error') {
        count(`${process.replace(/-\d+$/, '')}: ${String(message)}`, line);
      }
    } catch {
      count(`${process.replace(/-\d+$/, '')}: ${line.slice(0, 120)}`, line);
    }
  };
  return {
    take: (process, stream) => {
      readline.createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
        out.write(`${process} ${line}\n`);
        look(process, line);
      });
    },
    faults: () => Object.fromEntries(faults),
    samples: () => [...samples.values()],
    worstSecond: () => {
      const worst = Math.max(0, ...perSecond.values());
      perSecond.clear();
      return worst;
    },
    close: () => new Promise((resolve) => out.end(() => resolve())),
  };
}
