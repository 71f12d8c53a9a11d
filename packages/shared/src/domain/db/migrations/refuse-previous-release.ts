import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { getVersion } from '../../../runtime/config/index.js';
import { AppError } from '../../errors/index.js';
import { SESSION_NAMES } from '../name-session.js';

/**
 * The upgrade that has a stop: its first migration, and the release that cannot run beside what follows.
 *
 * @until 0.5.0
 */
export const STOP = {
  migration: '20261128064000_stop',
  release: '0.3.0',
} as const;

// A process that lives says so every few seconds.
const SILENCE_MS = 90_000;
const LOOK_MS = 500;

/** How a stop is waited for. */
export interface StopOptions {
  /** Receives a line about what has to be waited for. */
  readonly tell: (line: string) => void;
  /** Time without a sign of life after which a process of the former release counts as gone, in milliseconds; 90 s unless given. */
  readonly silenceMs?: number;
}

/** Migration that stands in the place of all migrations of the former release. */
interface Baseline {
  readonly name: string;
  readonly replaces: readonly string[];
}

/** A process that connected or reported with another version than this one's. */
interface Trace {
  /** Process by name and place. */
  readonly name: string;
  readonly version: string | null;
  /** Milliseconds since it last did something; null where this role may not see it. */
  readonly agoMs: number | null;
}

// A pooler keeps sessions of processes that are gone for minutes, so only one that ran a statement shortly before counts. The name of
// a session is seen by every role; times of another role's by members of it and of pg_read_all_stats only.
const FIND_TRACES = `
SELECT split_part(application_name, '/', 1) || ' (' || COALESCE(host(client_addr), 'local') || ', ' || count(*)
         || CASE count(*) WHEN 1 THEN ' connection)' ELSE ' connections)' END AS name,
       NULLIF(split_part(application_name, '/', 2), '') AS version,
       CASE WHEN bool_and(state IS NOT NULL) THEN
         (EXTRACT(EPOCH FROM now() - max(CASE WHEN state = 'active' THEN now() ELSE state_change END)) * 1000)::float8 END AS "agoMs"
  FROM pg_stat_activity
 WHERE datname = current_database() AND split_part(application_name, '/', 1) = ANY ($1)
 GROUP BY application_name, client_addr
UNION ALL
SELECT service || ' (' || host || ', process ' || pid || ')', report ->> 'version', (EXTRACT(EPOCH FROM now() - seen_at) * 1000)::float8
  FROM worker_reports
UNION ALL
-- Only a database of the former release is looked at, so these are its processes.
SELECT 'image-gateway-api (' || id || ')', NULL, (EXTRACT(EPOCH FROM now() - renewed_at) * 1000)::float8 FROM facade_processes
 ORDER BY 1`;

/**
 * Refuses to migrate a database of the former release while a process of it runs, and one of a release before that altogether. A process
 * that shows no sign of life is waited for until it counts as gone. Changes nothing. Throws AppError with the remediation.
 */
export async function refuseFormerRelease(
  client: pg.Client,
  applied: ReadonlySet<string>,
  { tell, silenceMs = SILENCE_MS, baseline }: StopOptions & { readonly baseline: Baseline | undefined },
): Promise<void> {
  if (applied.size === 0 || applied.has(STOP.migration) || baseline === undefined) {
    return;
  }
  const [lacking] = applied.has(baseline.name) ? [] : baseline.replaces.filter((name) => !applied.has(name));
  if (lacking !== undefined) {
    throw explainOld(lacking);
  }
  const began = performance.now();
  // Statements of a process that has just been killed run on for five seconds at most.
  const livesAfterMs = silenceMs / 15;
  for (let isFirst = true; ; isFirst = false) {
    // Before the look: a slow one must not make a process that is gone seem alive.
    const waitedMs = performance.now() - began;
    const traces = await findTraces(client, silenceMs);
    if (traces.length === 0) {
      return;
    }
    const living = traces.filter(({ agoMs }) =>
      agoMs === null ? waitedMs > silenceMs : waitedMs - agoMs > livesAfterMs,
    );
    if (living.length > 0) {
      throw explainRunning(living);
    }
    if (isFirst) {
      const leftMs = Math.max(...traces.map(({ agoMs }) => silenceMs - (agoMs ?? 0)));
      tell(
        `Release ${STOP.release} was here less than ${Math.round(silenceMs / 1_000)} s ago: ${listNames(traces)}. ` +
          `If it has ended, this goes on by itself, in ${Math.ceil(leftMs / 1_000)} s at the latest.`,
      );
    }
    await sleep(LOOK_MS);
  }
}

/** Returns what processes of the former release did within the time of silence. */
async function findTraces(client: pg.Client, silenceMs: number): Promise<Trace[]> {
  const { rows } = await client.query<Trace>(FIND_TRACES, [SESSION_NAMES]);
  return rows.filter(
    ({ version, agoMs }) => isOlder(version, getVersion()) && (agoMs === null || agoMs < silenceMs),
  );
}

/** Returns true for a version before `than`, and for none: former releases named themselves without one. */
function isOlder(version: string | null, than: string): boolean {
  return version === null || version.localeCompare(than, 'en', { numeric: true }) < 0;
}

function listNames(traces: readonly Trace[]): string {
  return traces.map(({ name }) => name).join(', ');
}

const SCALE_DOWN = 'kubectl scale deployment --replicas=0 --selector app.kubernetes.io/name=image-gateway';

function explainRunning(living: readonly Trace[]): AppError {
  return refuse(
    `Release ${STOP.release} still runs on this database: ${listNames(living)}. The upgrade from it to ${getVersion()} has a stop: ` +
      `end all its processes, then run this again. Nothing was applied. What ends them:
  npm start                Ctrl-C
  Docker Compose           docker compose stop api generation-worker webhook-worker
  Kubernetes               kubectl annotate scaledobject --all autoscaling.keda.sh/paused=true; ${SCALE_DOWN}
  systemd                  systemctl stop 'image-gateway-*'
UPGRADING.md has the steps in order.${living.some(({ agoMs }) => agoMs === null) ? HIDDEN : ''}`,
  );
}

const HIDDEN =
  ' This role may not see whether these connections are in use: if they are those that a pooler keeps after its clients have ' +
  'ended, restart the pooler, or wait until it has closed them.';

function explainOld(lacking: string): AppError {
  return refuse(
    `This database is of a release before ${STOP.release}, or its first migration was interrupted: it lacks ${lacking}. There ` +
      `is no way from it to ${getVersion()} at once. Start ${STOP.release} on it once, which migrates it, then this release; ` +
      'docs/releases.md names its commit. Nothing was applied.',
  );
}

function refuse(publicMessage: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', { publicMessage });
}
