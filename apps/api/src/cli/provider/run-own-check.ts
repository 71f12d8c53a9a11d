import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { AppError } from '@image-gateway/shared/errors';
import type { CliContext } from '../cli-context.js';

const PROGRAM = 'apps/generation-worker/dist/checks/main.js';

/** Runs a check in a process of the generation worker, since the adapters of providers are there. Returns what it complains about; empty for nothing. */
export async function runOwnCheck(
  { env, projectDir }: Pick<CliContext, 'env' | 'projectDir'>,
  id: string,
): Promise<string> {
  const program = join(projectDir, PROGRAM);
  if (!existsSync(program)) {
    throw new AppError('INTERNAL_ERROR', {
      publicMessage: `${PROGRAM} is missing here: build the project first (npm run build).`,
    });
  }
  const child = spawn(process.execPath, [program, id], {
    env: { ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [complaint] = await Promise.all([
    text(child.stderr),
    new Promise<void>((resolve) => {
      child.once('error', () => resolve());
      child.once('close', () => resolve());
    }),
  ]);
  return complaint.trim();
}
