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
  const ids = await releaseExpiredDeliveries(db);
  if (ids.length === 0) return;
  metrics.sweeps.inc({ what: 'expired_webhook_leases' }, ids.length);
  logger.warn('webhooks whose sender disappeared are due again', {
    count: ids.length,
    deliveryIds: ids.slice(0, 20),
  });
}
