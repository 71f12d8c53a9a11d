import type { Database, ProviderLimit, Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { formatDollars, parseDollarsOrZero } from '@image-gateway/shared/money';
import type { ProviderLimitItem, ProviderNeedItem } from '@image-gateway/shared/provider/schema';
import { isHeldBack } from './candidates.js';
import { listLiveWorkers } from './list-live-workers.js';

/** A provider and the author of a change, for the audit log. */
export interface ProviderChange {
  readonly name: string;
  readonly actor: string;
}

const LIST_LIMITS: Statement = {
  name: 'list-provider-limits',
  text: `
SELECT l.name, l.cost_day_micros AS "costDayMicros", COALESCE(c.micros, 0)::int8 AS "spentMicros", p.is_on AS "isPaused",
       CASE WHEN p.is_on THEN l.paused_until END AS "pausedUntil"
  FROM provider_limits l LEFT JOIN sum_costs_of_day() c ON c.provider = l.name
 CROSS JOIN LATERAL (SELECT l.paused_at IS NOT NULL AND now() < COALESCE(l.paused_until, 'infinity') AS is_on) p
 WHERE l.cost_day_micros IS NOT NULL OR p.is_on ORDER BY l.name`,
};

const SUM_DAY: Statement = {
  name: 'sum-costs-of-day',
  text: 'SELECT COALESCE(sum(micros), 0)::int8 AS micros FROM sum_costs_of_day()',
};

const SET_CEILING: Statement = {
  name: 'set-provider-ceiling',
  text: `
WITH old AS (SELECT cost_day_micros AS micros FROM provider_limits WHERE name = $1),
kept AS (
  INSERT INTO provider_limits (name, cost_day_micros) VALUES ($1, $2::int8)
  ON CONFLICT (name) DO UPDATE SET cost_day_micros = EXCLUDED.cost_day_micros RETURNING name, cost_day_micros AS micros)
INSERT INTO audit_entries (id, action, subject, detail)
SELECT $3, 'provider.limit', name, $4::jsonb || jsonb_build_object('costDay', format_dollars(micros), 'before',
  format_dollars((SELECT micros FROM old)))
  FROM kept`,
};

const PAUSE: Statement = {
  name: 'pause-provider',
  text: `
WITH kept AS (
  INSERT INTO provider_limits (name, paused_at, paused_until) VALUES ($1, now(), now() + make_interval(secs => $2::float8))
  ON CONFLICT (name) DO UPDATE SET paused_at = EXCLUDED.paused_at, paused_until = EXCLUDED.paused_until RETURNING name, paused_until)
INSERT INTO audit_entries (id, action, subject, detail)
SELECT $3, 'provider.pause', name,
       $4::jsonb || jsonb_build_object('until', to_char(paused_until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) FROM kept`,
};

const RESUME: Statement = {
  name: 'resume-provider',
  text: `
WITH changed AS (
  INSERT INTO provider_limits (name, resumed_at)
  SELECT $1, now() WHERE $4 OR EXISTS (
    SELECT 1 FROM provider_limits WHERE name = $1 AND paused_at IS NOT NULL AND now() < COALESCE(paused_until, 'infinity'))
  ON CONFLICT (name) DO UPDATE SET paused_at = NULL, paused_until = NULL, resumed_at = now() RETURNING name)
INSERT INTO audit_entries (id, action, subject, detail) SELECT $2, 'provider.resume', name, $3::jsonb FROM changed RETURNING subject`,
};

/** Sets the daily ceiling of a provider in micro-dollars; null removes it. It holds for each call that starts from then on. */
export async function setProviderCeiling(
  db: Pick<Database, 'run'>,
  { name, actor, costDayMicros }: ProviderChange & { readonly costDayMicros: bigint | null },
): Promise<void> {
  await db.run(SET_CEILING, [name, costDayMicros, newId('aud'), JSON.stringify({ actor })]);
}

/** Pauses a provider for a time or until it is resumed: no call of it starts, and known jobs are polled to their end. */
export async function pauseProvider(
  db: Pick<Database, 'run'>,
  { name, actor, forSeconds }: ProviderChange & { readonly forSeconds: number | null },
): Promise<void> {
  await db.run(PAUSE, [name, forSeconds, newId('aud'), JSON.stringify({ actor })]);
}

/**
 * Ends the pause of a provider, those that it asked for, its circuits, and what was set aside of it; workers follow within 5 s.
 * Throws AppError `NOT_FOUND` where there is nothing of it.
 */
export async function resumeProvider(
  db: Pick<Database, 'run'>,
  { name, actor }: ProviderChange,
): Promise<void> {
  const held = await isHeldBack(db, name);
  const [row] = await db.run(RESUME, [name, newId('aud'), JSON.stringify({ actor }), held]);
  if (!row) {
    throw new AppError('NOT_FOUND', { publicMessage: `${name} is not paused.` });
  }
}

interface Limit extends Pick<ProviderLimit, 'name' | 'costDayMicros' | 'pausedUntil'> {
  readonly spentMicros: bigint;
  readonly isPaused: boolean;
}

/** Lists ceilings and pauses, with what was spent today (UTC). The name `*` is the ceiling that workers have for all providers. */
async function listLimits(db: Pick<Database, 'run'>): Promise<readonly Limit[]> {
  const [rows, [day], workers] = await Promise.all([
    db.run<Limit>(LIST_LIMITS, []),
    db.run<{ readonly micros: bigint }>(SUM_DAY, []),
    listLiveWorkers(db),
  ]);
  const ceilings = new Set(workers.flatMap(({ report }) => report.maxCostDay ?? []));
  const ofAll = [...ceilings].map((costDay) => ({
    name: '*',
    costDayMicros: parseDollarsOrZero(costDay.replace('$', '')),
    spentMicros: day?.micros ?? 0n,
    isPaused: false,
    pausedUntil: null,
  }));
  return [...ofAll, ...rows];
}

/** Returns ceilings and pauses of providers, with what was spent today (UTC). The provider `*` is the ceiling that workers have for all. */
export async function listProviderLimits(db: Pick<Database, 'run'>): Promise<readonly ProviderLimitItem[]> {
  const limits = await listLimits(db);
  return limits.map(({ name, costDayMicros, spentMicros, isPaused, pausedUntil }) => ({
    provider: name,
    cost_day: costDayMicros === null ? null : formatDollars(costDayMicros),
    spent_today: formatDollars(spentMicros),
    paused: isPaused,
    paused_until: pausedUntil?.toISOString() ?? null,
  }));
}

/** Lists the ceilings of which 80 percent are used today. The statement that starts calls tells operators' endpoints of them. */
export async function listCeilingNeeds(db: Pick<Database, 'run'>): Promise<readonly ProviderNeedItem[]> {
  const limits = await listLimits(db);
  return limits.flatMap(({ name, costDayMicros: ceiling, spentMicros: spent }) => {
    // A ceiling of nothing is a switch: calls that cost anything are meant to wait.
    if (ceiling === null || ceiling === 0n || spent * 100n < ceiling * 80n) {
      return [];
    }
    const used =
      `${(spent * 100n) / ceiling} percent of the ceiling of the day are used: ${formatDollars(spent)} of ` +
      `${formatDollars(ceiling)}.`;
    return [{ provider: name, model: null, reason: `${used} Raise it with: provider limit`, since: null }];
  });
}
