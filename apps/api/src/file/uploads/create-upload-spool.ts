import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';
import { createSpool, type Spool, type SpoolOptions } from '@image-gateway/shared/spool';

/** Creates the spool of uploads. Where the folder can't be written, as where no volume was added for it, it is a temporary folder. */
export function createUploadSpool(
  dir: string,
  {
    maxBytes,
    logger,
    metrics,
  }: {
    readonly maxBytes: number;
    readonly logger: Pick<Logger, 'warn'>;
    readonly metrics: Pick<Metrics, 'spoolBytes'>;
  },
): Spool {
  const options: Omit<SpoolOptions, 'dir'> = {
    maxBytes,
    id: `api-${randomUUID()}`,
    onSize: (bytes) => metrics.spoolBytes.set(bytes),
  };
  try {
    return createSpool({ ...options, dir });
  } catch (error) {
    const temporary = mkdtempSync(path.join(tmpdir(), 'image-gateway-uploads-'));
    logger.warn('uploads wait in a temporary folder', { error, folder: temporary });
    return createSpool({ ...options, dir: temporary });
  }
}
