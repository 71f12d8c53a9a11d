import type { IdPrefix } from '../ids/index.js';

/** Who moved money by hand and why, for the audit log; no secrets. */
export type AuditDetail = Readonly<Record<string, string | boolean | null>>;

/** The id and the detail of the audit entry that a statement writes together with the money; both null without a detail: then it writes none. */
export function auditValues(
  newId: (prefix: IdPrefix) => string,
  detail: AuditDetail | undefined,
): readonly [string, string] | readonly [null, null] {
  return detail === undefined ? [null, null] : [newId('aud'), JSON.stringify(detail)];
}
