import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const exec = promisify(execFile);

/** Runs a program and resolves when it has ended well; rejects with what it said otherwise. */
export async function runToEnd(
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<void> {
  await exec(file, [...args], options);
}
