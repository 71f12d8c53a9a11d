import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import { DUE_COLUMNS, type DueDelivery } from './due-delivery.js';

const FIND_DUE_OF_HOSTS: Statement = {
  name: 'find-due-deliveries-of-hosts',
  text: `
SELECT due.* FROM unnest($1::text[]) AS host CROSS JOIN LATERAL (
  SELECT ${DUE_COLUMNS} FROM webhook_deliveries d
   WHERE d.state = 'pending' AND d.host_port = host AND d.next_attempt_at <= now()
   ORDER BY d.next_attempt_at LIMIT $2::int) due`,
};

/** Finds the oldest due deliveries of some receivers, at most `perHost` of each. */
export async function findDueOfHosts(
  db: Database,
  hosts: readonly string[],
  perHost: number,
): Promise<DueDelivery[]> {
  return hosts.length === 0 ? [] : db.run<DueDelivery>(FIND_DUE_OF_HOSTS, [hosts, perHost]);
}
