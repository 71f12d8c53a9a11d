import { type Database, releaseExpiredDeliveries } from '@image-gateway/shared/db';
import type { Logger } from '@image-gateway/shared/logging';
import type { Metrics } from '@image-gateway/shared/metrics';

/** Makes deliveries due again whose sender has disappeared. */
export async function releaseExpired({
  db,
  logger,
  metrics,
}: {
  readonly db: Database;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'sweeps'>;
}): Promise<void> {
  for (const { id: deliveryId, taskId, requestId, attempt } of await releaseExpiredDeliveries(db)) {
    metrics.sweeps.inc({ what: 'expired_webhook_leases' });
    logger.warn('the sender of a webhook disappeared, it is due again', {
      deliveryId,
      taskId,
      requestId,
      attempt,
    });
  }
}
