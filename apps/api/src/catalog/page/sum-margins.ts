import type { ModelMargin } from '@image-gateway/shared/catalog/schema';
import { QUALITIES } from '@image-gateway/shared/contract';
import type { Database, Statement } from '@image-gateway/shared/db';
import { formatDollars } from '@image-gateway/shared/money';
import { sumSandboxSales } from '../../provider/sum-sandbox-sales.js';

interface Sums {
  readonly images: number;
  readonly revenueMicros: bigint;
  readonly costMicros: bigint;
}

interface Row extends Sums {
  readonly model: string;
}

interface QualityRow extends Row {
  readonly quality: string;
}

const SUM_MARGINS: Statement = {
  name: 'sum-model-margins',
  text: `
WITH since AS (SELECT date_trunc('day', now(), 'UTC') - make_interval(days => $1::int - 1) AS at),
earned AS (
  SELECT model, sum(units)::float8 AS images, sum(cost_micros) AS micros
    FROM usage_daily, since WHERE day >= (at AT TIME ZONE 'UTC')::date GROUP BY model),
refunded AS (
  SELECT tasks.model, sum(transfers.amount_micros) AS micros
    FROM since CROSS JOIN ledger_transfers AS transfers JOIN tasks ON tasks.id = transfers.task_id
   WHERE transfers.kind = 'refund' AND transfers.created_at >= at GROUP BY tasks.model),
spent AS (
  SELECT public_model AS model, sum(cost_micros) AS micros FROM provider_call_hours, since
   WHERE hour >= at AND state <> 'rate_limited' AND public_model <> '' GROUP BY public_model HAVING sum(cost_micros) <> 0)
SELECT model, COALESCE(images, 0)::float8 AS images,
       (COALESCE(earned.micros, 0) - COALESCE(refunded.micros, 0))::int8 AS "revenueMicros",
       COALESCE(spent.micros, 0)::int8 AS "costMicros"
  FROM earned FULL JOIN refunded USING (model) FULL JOIN spent USING (model) ORDER BY model`,
};

// The roll-up by days has no qualities; few tasks have one, and an index finds them.
const SUM_QUALITY_MARGINS: Statement = {
  name: 'sum-quality-margins',
  text: `
WITH since AS (SELECT date_trunc('day', now(), 'UTC') - make_interval(days => $1::int - 1) AS at),
earned AS (
  SELECT model, quality, sum(stored_count)::float8 AS images, sum(cost_micros) AS micros
    FROM tasks, since WHERE quality IS NOT NULL AND status = 'completed' AND completed_at >= at GROUP BY 1, 2),
refunded AS (
  SELECT tasks.model, tasks.quality, sum(transfers.amount_micros) AS micros
    FROM since CROSS JOIN ledger_transfers AS transfers JOIN tasks ON tasks.id = transfers.task_id
   WHERE transfers.kind = 'refund' AND transfers.created_at >= at AND tasks.quality IS NOT NULL GROUP BY 1, 2),
spent AS (
  SELECT public_model AS model, quality, sum(cost_micros) AS micros FROM provider_call_hours, since
   WHERE hour >= at AND state <> 'rate_limited' AND quality <> '' GROUP BY 1, 2 HAVING sum(cost_micros) <> 0)
SELECT model, quality, COALESCE(images, 0)::float8 AS images,
       (COALESCE(earned.micros, 0) - COALESCE(refunded.micros, 0))::int8 AS "revenueMicros",
       COALESCE(spent.micros, 0)::int8 AS "costMicros"
  FROM earned FULL JOIN refunded USING (model, quality) FULL JOIN spent USING (model, quality)`,
};

const CACHE_MS = 60_000;

/** Creates the sum of what each model brought in the last days. The sum is shared by all pages for a minute. */
export function createMarginSum(
  db: Pick<Database, 'run'>,
  { days, now = Date.now }: { readonly days: number; readonly now?: () => number },
): () => Promise<readonly ModelMargin[]> {
  let cached: { readonly at: number; readonly margins: Promise<readonly ModelMargin[]> } | null = null;
  const sum = async (): Promise<readonly ModelMargin[]> => {
    const since = new Date(now());
    since.setUTCHours(0, 0, 0, 0);
    since.setUTCDate(since.getUTCDate() - days + 1);
    const [rows, byQuality, sandbox] = await Promise.all([
      db.run<Row>(SUM_MARGINS, [days]),
      db.run<QualityRow>(SUM_QUALITY_MARGINS, [days]),
      sumSandboxSales(db, { since }),
    ]);
    return rows.map(({ model, ...sums }) => {
      const share = sandbox.find((one) => one.model === model)?.share ?? 0;
      const qualities = QUALITIES.flatMap((quality) => {
        const row = byQuality.find((one) => one.model === model && one.quality === quality);
        return row === undefined ? [] : [{ quality, ...presentSums(row, share) }];
      });
      return { model, ...presentSums(sums, share), ...(qualities.length > 0 && { qualities }) };
    });
  };
  return () => {
    if (cached === null || now() - cached.at > CACHE_MS) {
      const margins = sum();
      const entry = { at: now(), margins };
      cached = entry;
      margins.catch(() => {
        cached = cached === entry ? null : cached;
      });
    }
    return cached.margins;
  };
}

/** Test images are sales and no margin. */
function presentSums(
  { images, revenueMicros, costMicros }: Sums,
  sandboxShare: number,
): Omit<ModelMargin, 'model' | 'qualities'> {
  const sandboxMicros = BigInt(Math.round(Number(revenueMicros) * sandboxShare));
  return {
    images,
    revenue: formatDollars(revenueMicros),
    cost: formatDollars(costMicros),
    margin: formatDollars(revenueMicros - sandboxMicros - costMicros),
  };
}
