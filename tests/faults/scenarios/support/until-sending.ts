import { eventually } from '@image-gateway/testing';
import type { Scene } from '../scenario.js';

/** Waits until a webhook of the scene's customer is being sent by a worker whose lease has not run out. */
export async function untilSending(scene: Scene): Promise<void> {
  await eventually(
    async () => {
      const { rows } = await scene.lab.services.database.pool.query(
        `SELECT 1 FROM webhook_deliveries d JOIN pg_stat_activity s ON split_part(s.application_name, '/', 1) = 'webhook-worker'
          WHERE d.account_id = $1 AND d.state = 'sending' AND d.lease_until - now() > interval '6500 ms' LIMIT 1`,
        [scene.customer.id],
      );
      if (rows.length === 0) {
        throw new Error('no webhook is being sent');
      }
    },
    { timeoutMs: 15_000, everyMs: 10 },
  );
}
