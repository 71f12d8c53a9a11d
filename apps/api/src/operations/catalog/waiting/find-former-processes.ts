import type { Database, Statement } from '@image-gateway/shared/db';
import { ALIVE_MS } from '../../system/list-live-workers.js';

// Release 0.2.0 reports no version, and its API calls itself by the bare name.
const FIND_FORMER_PROCESSES: Statement = {
  name: 'find-former-processes',
  text: `
SELECT service || ' (' || host || ', process ' || pid || ')' AS name FROM worker_reports
 WHERE seen_at > now() - make_interval(secs => $1::float8 / 1000) AND NOT COALESCE(report ? 'version', false)
UNION ALL
SELECT 'API (' || COALESCE(host(client_addr), 'local') || ', ' || count(*) || ' sessions)' FROM pg_stat_activity
 WHERE datname = current_database() AND application_name = 'image-gateway-api' GROUP BY client_addr
 ORDER BY name`,
};

/** Names the processes of the former release that run: workers by their reports, API processes by their sessions. */
export async function findFormerProcesses(db: Pick<Database, 'run'>): Promise<readonly string[]> {
  const rows = await db.run<{ readonly name: string }>(FIND_FORMER_PROCESSES, [ALIVE_MS]);
  return rows.map(({ name }) => name);
}
