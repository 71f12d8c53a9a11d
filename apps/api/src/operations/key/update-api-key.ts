import type { Database, Statement } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
import { newId } from '@image-gateway/shared/ids';
import { checkKeyLimits, describeKeyLimits, type KeyLimits, toLimitColumns } from './key-limits.js';

/** API key to change. */
export interface KeyToUpdate {
  readonly keyId: string;
  /** Restricts the search to the keys of this account. */
  readonly accountId?: string;
  readonly limits: KeyLimits;
  /** Author of the change, for the audit log. */
  readonly actor: string;
}

const UPDATE_API_KEY: Statement = {
  name: 'update-api-key',
  text: `
WITH old AS (
  SELECT id, jsonb_build_object('models', models, 'scopes', scopes, 'allowedCidrs', allowed_cidrs, 'joinEqual', join_equal,
                                'capDay', format_dollars(cap_day_micros), 'capMonth', format_dollars(cap_month_micros),
                                'capTotal', format_dollars(cap_total_micros),
                                'capDayPer', cap_per_key || '=' || format_dollars(cap_per_micros)) AS before
    FROM api_keys WHERE id = $1 AND account_id = COALESCE($2, account_id) FOR NO KEY UPDATE),
changed AS (
  UPDATE api_keys k SET models = CASE WHEN c ? 'models' THEN ARRAY(SELECT jsonb_array_elements_text(c -> 'models')) ELSE models END,
         scopes = CASE WHEN c ? 'scopes' THEN ARRAY(SELECT jsonb_array_elements_text(c -> 'scopes')) ELSE scopes END,
         allowed_cidrs = CASE WHEN c ? 'allowed_cidrs' THEN ARRAY(SELECT jsonb_array_elements_text(c -> 'allowed_cidrs')) ELSE allowed_cidrs END,
         cap_day_micros = CASE WHEN c ? 'cap_day_micros' THEN (c ->> 'cap_day_micros')::int8 ELSE cap_day_micros END,
         cap_month_micros = CASE WHEN c ? 'cap_month_micros' THEN (c ->> 'cap_month_micros')::int8 ELSE cap_month_micros END,
         cap_total_micros = CASE WHEN c ? 'cap_total_micros' THEN (c ->> 'cap_total_micros')::int8 ELSE cap_total_micros END,
         cap_per_key = CASE WHEN c ? 'cap_per_key' THEN c ->> 'cap_per_key' ELSE cap_per_key END,
         cap_per_micros = CASE WHEN c ? 'cap_per_micros' THEN (c ->> 'cap_per_micros')::int8 ELSE cap_per_micros END,
         join_equal = COALESCE((c ->> 'join_equal')::bool, join_equal)
    FROM old, (SELECT $3::jsonb AS c) given WHERE k.id = old.id RETURNING k.id, old.before),
audit AS (
  INSERT INTO audit_entries (id, action, subject, detail)
  SELECT $4, 'key.update', id, $5::jsonb || jsonb_build_object('before',
           (SELECT jsonb_object_agg(name, before -> name) FROM jsonb_object_keys($5::jsonb - 'actor') name))
    FROM changed)
SELECT id FROM changed`,
};

/** Changes the limits of an API key; every process follows within 5 s. Throws AppError `NOT_FOUND` and `VALIDATION_ERROR`. */
export async function updateApiKey(
  { db }: { readonly db: Pick<Database, 'run'> },
  { keyId, accountId, limits, actor }: KeyToUpdate,
): Promise<void> {
  checkKeyLimits(limits);
  const detail = JSON.stringify({ actor, ...describeKeyLimits(limits) });
  const values = [keyId, accountId ?? null, toLimitColumns(limits), newId('aud'), detail];
  const [row] = await db.run(UPDATE_API_KEY, values);
  if (!row) {
    throw notFound('API key', keyId);
  }
}
