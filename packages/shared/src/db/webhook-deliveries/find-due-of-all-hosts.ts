import type { Database } from '../create-database.js';
import type { Statement } from '../statement.js';
import { DUE_COLUMNS, type DueDelivery } from './due-delivery.js';

// PostgreSQL has no loose index scan; the recursion is one, from each receiver to the next in the index. Its cost grows
// with the receivers that something waits for (8 ms for 1,000 of them) and not with how much waits for each.
const FIND_DUE_OF_ALL_HOSTS: Statement = {
  name: 'find-due-deliveries-of-all-hosts',
  text: `
WITH RECURSIVE hosts AS (
  (SELECT host_port FROM webhook_deliveries WHERE state = 'pending' ORDER BY host_port LIMIT 1)
  UNION ALL
  SELECT following.host_port FROM hosts CROSS JOIN LATERAL (
    SELECT n.host_port FROM webhook_deliveries n
     WHERE n.state = 'pending' AND n.host_port > hosts.host_port ORDER BY n.host_port LIMIT 1) following)
SELECT due.* FROM hosts CROSS JOIN LATERAL (
  SELECT ${DUE_COLUMNS} FROM webhook_deliveries d
   WHERE d.state = 'pending' AND d.host_port = hosts.host_port AND d.next_attempt_at <= now()
   ORDER BY d.next_attempt_at LIMIT $1::int) due`,
};

/** Finds the oldest due deliveries of every receiver, at most `perHost` of each, however many wait for one of them. */
export async function findDueOfAllHosts(db: Database, perHost: number): Promise<DueDelivery[]> {
  return db.run<DueDelivery>(FIND_DUE_OF_ALL_HOSTS, [perHost]);
}
