import type { IdPrefix } from '../ids/index.js';

/** Details of a change by hand (who and why) for the audit log; no secrets. */
export type AuditDetail = Readonly<Record<string, string | boolean | null>>;

/** Returns id and detail of the audit entry that a statement writes together with the change; both null without an author. */
export function auditValues(
  newId: (prefix: IdPrefix) => string,
  actor: string | undefined,
  detail: AuditDetail = {},
): readonly [string, string] | readonly [null, null] {
  return actor === undefined ? [null, null] : [newId('aud'), JSON.stringify({ actor, ...detail })];
}
