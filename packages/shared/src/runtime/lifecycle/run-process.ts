import type { Logger } from '../logging/index.js';
import type { Shutdown } from './create-shutdown.js';
import { notifyServiceManager } from './notify-service-manager.js';

/** Ends the process in order on SIGTERM and SIGINT (exit code 0) and on an uncaught error (exit code 1). */
export function runProcess({
  shutdown,
  logger,
}: {
  readonly shutdown: Shutdown;
  readonly logger: Logger;
}): void {
  const end = (reason: string, code: number): void => {
    void notifyServiceManager('stopping', { logger });
    shutdown.run(reason).then(
      () => process.exit(code),
      () => process.exit(1),
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => end(signal, 0));
  }
  process.on('uncaughtException', (error) => {
    logger.error('uncaught exception', { error });
    end('uncaught exception', 1);
  });
  process.on('unhandledRejection', (error) => {
    logger.error('unhandled rejection', { error });
    end('unhandled rejection', 1);
  });
}
