import pg from 'pg';
import { withTimeout } from '../../runtime/concurrency/index.js';
import { isConnectionError } from './database-error.js';

/** Probe that distinguishes an unreachable database from a single lost connection or response. */
export interface LivenessProbe {
  /** Records that the database has just responded. */
  readonly recordResponse: () => void;
  /** Returns true when the database responds from now on, to any statement or to a check of its own. Never rejects. */
  readonly isAlive: () => Promise<boolean>;
}

/** Terms of a liveness probe; times in milliseconds. */
export interface LivenessProbeOptions {
  /** Checks the database over a connection of its own: false or a rejection when it does not respond. */
  readonly check: () => Promise<boolean>;
  readonly timeoutMs: number;
  /** Time for which an unreachable database is not checked again, unless it responds to a statement. */
  readonly cacheTtlMs: number;
}

/** Creates a liveness probe. Concurrent callers share one check. */
export function createLivenessProbe({ check, timeoutMs, cacheTtlMs }: LivenessProbeOptions): LivenessProbe {
  let deadUntil = Number.NEGATIVE_INFINITY;
  let checking: Promise<boolean> | undefined;
  let onResponse = (): void => undefined;

  const checkOnce = async (): Promise<boolean> => {
    const alive = new Promise<boolean>((resolve) => {
      onResponse = () => resolve(true);
      check().then(resolve, () => resolve(false));
    });
    const isAlive = (await withTimeout(timeoutMs, alive)) === true;
    if (!isAlive) {
      deadUntil = performance.now() + cacheTtlMs;
    }
    checking = undefined;
    return isAlive;
  };

  return {
    recordResponse: () => {
      deadUntil = Number.NEGATIVE_INFINITY;
      onResponse();
    },
    isAlive: async () => {
      if (performance.now() < deadUntil) {
        return false;
      }
      checking ??= checkOnce();
      return checking;
    },
  };
}

/** Returns whether the server behind a URL accepts connections; a refusal for lack of room counts as a sign of life. */
export async function isReachable(
  { url, applicationName }: { readonly url: string; readonly applicationName: string },
  withinMs: number,
): Promise<boolean> {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: withinMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    return !isConnectionError(error);
  } finally {
    client.end().catch(() => undefined);
  }
}
