import { isSandbox } from '@image-gateway/shared/catalog/document';
import { type Database, loadActiveCatalog, type Statement } from '@image-gateway/shared/db';

/** Part of the sales of a model that the sandbox drew: test images, which are no margin. Money in micro-dollars. */
interface SandboxSale {
  readonly model: string;
  /** Share of its images. */
  readonly share: number;
  readonly chargedMicros: bigint;
  readonly refundedMicros: bigint;
}

// A model that is drawn by others too is split by its images: the hours of calls do not name prices.
const SUM_SANDBOX_SALES: Statement = {
  name: 'sum-sandbox-sales',
  text: `
WITH drawn AS (
  SELECT public_model AS model, sum(images) FILTER (WHERE provider = ANY ($2::text[])) / sum(images) AS share
    FROM provider_call_hours
   WHERE hour >= $1::timestamptz AND state IN ('succeeded', 'short') AND public_model <> '' AND images > 0
   GROUP BY public_model),
charged AS (
  SELECT model, sum(charged_micros) AS micros FROM task_hours WHERE hour >= $1::timestamptz GROUP BY model),
refunded AS (
  SELECT t.model, sum(l.amount_micros) AS micros FROM ledger_transfers l JOIN tasks t ON t.id = l.task_id
   WHERE l.kind = 'refund' AND l.created_at >= $1::timestamptz GROUP BY t.model)
SELECT model, share::float8 AS share, round(COALESCE(charged.micros, 0) * share)::int8 AS "chargedMicros",
       round(COALESCE(refunded.micros, 0) * share)::int8 AS "refundedMicros"
  FROM drawn LEFT JOIN charged USING (model) LEFT JOIN refunded USING (model) WHERE share > 0`,
};

/** Sums the sales of test images since a full hour, by model. */
export async function sumSandboxSales(
  db: Pick<Database, 'run'>,
  { since }: { readonly since: Date },
): Promise<readonly SandboxSale[]> {
  const { catalog } = await loadActiveCatalog(db);
  const names = ['sandbox', ...[...catalog.instances.keys()].filter((name) => isSandbox(catalog, name))];
  return db.run<SandboxSale>(SUM_SANDBOX_SALES, [since, names]);
}
