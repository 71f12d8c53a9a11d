import { execFile } from 'node:child_process';
import path from 'node:path';
import { type Product, projectRoot } from './product.js';
import { environmentWith } from './settings.js';

/** Result of one operator command: its exit code and the JSON value on standard output. */
export interface CommandResult<T> {
  code: number;
  value: T;
}

interface CommandOptions {
  settings?: Readonly<Record<string, string>>;
}

/**
 * Runs the program of `npm run --silent gateway -- … --json`, with nothing but DATA_DIR in its environment unless settings are given.
 * The time that npm takes is spared.
 */
export function gateway<T = unknown>(
  product: Product,
  args: readonly string[],
  { settings = {} }: CommandOptions = {},
): Promise<CommandResult<T>> {
  const env = environmentWith({ DATA_DIR: product.dataDir, ...settings });
  return new Promise((resolve, reject) => {
    const command = [path.join(projectRoot, 'scripts/gateway.mjs'), ...args, '--json'];
    execFile(
      process.execPath,
      command,
      { cwd: projectRoot, env, timeout: 60_000 },
      (error, stdout, stderr) => {
        try {
          resolve({ code: error ? Number(error.code ?? 1) : 0, value: JSON.parse(stdout) as T });
        } catch (cause) {
          reject(new Error(`gateway ${args.join(' ')} printed no JSON value: ${stdout}${stderr}`, { cause }));
        }
      },
    );
  });
}

/** The same command, expected to succeed; gives its value and throws on any other exit code. */
export async function mustGateway<T = unknown>(product: Product, ...args: string[]): Promise<T> {
  const { code, value } = await gateway<T>(product, args);
  if (code !== 0) {
    throw new Error(`gateway ${args.join(' ')} ended with ${code}: ${JSON.stringify(value)}`);
  }
  return value;
}
