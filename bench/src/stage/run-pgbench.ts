import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);
/** As many as a pool of the product has. */
const CLIENTS = 10;

/** Tells whether `pgbench` is on `PATH`. */
export async function hasPgbench(): Promise<boolean> {
  return exec('pgbench', ['--version']).then(
    () => true,
    () => false,
  );
}

/** Statements that take turns by chance, and the values of their `:variables`. */
export interface PgbenchPlan {
  readonly statements: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly seconds: number;
}

/** Runs statements by `pgbench`, each prepared once for a client; returns how many a second were done. */
export async function runPgbench(
  databaseUrl: string,
  { statements, variables, seconds }: PgbenchPlan,
): Promise<number> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'image-gateway-pgbench-'));
  try {
    const files = statements.map((text, i) => {
      const file = path.join(folder, `${i}.sql`);
      writeFileSync(file, `${text.trimEnd()};\n`);
      return `--file=${file}`;
    });
    const options = [
      '--protocol=prepared',
      '--no-vacuum',
      `--client=${CLIENTS}`,
      '--jobs=1',
      `--time=${Math.ceil(seconds)}`,
    ];
    const values = Object.entries(variables).map(([name, value]) => `--define=${name}=${value}`);
    const { stdout } = await exec('pgbench', [...options, ...values, ...files, databaseUrl]);
    const rate = /^tps = ([\d.]+)/m.exec(stdout)?.[1];
    if (rate === undefined) {
      throw new Error(`pgbench said no rate: ${stdout}`);
    }
    return Number(rate);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
