import type { IdPrefix } from '../ids/index.js';

/** Details of a manual transfer (who and why) for the audit log; no secrets. */
export type AuditDetail = Readonly<Record<string, string | boolean | null>>;

/**
 * Returns id and detail of the audit entry that a statement writes together with the money; both null without a detail.
 */
export function auditValues(
  newId: (prefix: IdPrefix) => string,
  detail: AuditDetail | undefined,
): readonly [string, string] | readonly [null, null] {
  return detail === undefined ? [null, null] : [newId('aud'), JSON.stringify(detail)];
}
