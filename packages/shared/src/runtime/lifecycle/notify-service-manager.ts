import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Logger } from '../logging/index.js';

const run = promisify(execFile);
const TIMEOUT_MS = 5_000;
const MESSAGES = { ready: 'READY=1', stopping: 'STOPPING=1' } as const;

/**
 * Tells systemd that this process is ready or ends, for units of the type notify (sd_notify(3)). Does nothing unless NOTIFY_SOCKET is set.
 * Node opens no datagram sockets in the file system, so the program of systemd sends the message; its failure is logged.
 */
export async function notifyServiceManager(
  state: 'ready' | 'stopping',
  { logger, env = process.env }: { readonly logger: Logger; readonly env?: NodeJS.ProcessEnv },
): Promise<void> {
  if (!env.NOTIFY_SOCKET) {
    return;
  }
  try {
    await run('systemd-notify', [`--pid=${process.pid}`, MESSAGES[state]], { env, timeout: TIMEOUT_MS });
  } catch (error) {
    logger.warn('systemd could not be notified', { state, error });
  }
}
