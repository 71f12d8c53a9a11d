import type { ChildProcess } from 'node:child_process';
import readline from 'node:readline';

/** Writes the output of an app line by line with the name of the app as prefix. */
export function prefixLines(name: string, write: (text: string) => void): (child: ChildProcess) => void {
  const prefix = `${name.padEnd(14)}| `;
  return (child) => {
    for (const input of [child.stdout, child.stderr]) {
      if (input) {
        readline
          .createInterface({ input, crlfDelay: Infinity })
          .on('line', (line) => write(`${prefix}${line}\n`));
      }
    }
  };
}
