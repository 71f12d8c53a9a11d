import type { Database, Statement } from '@image-gateway/shared/db';
import { newId } from '@image-gateway/shared/ids';

/** A change that somebody made by hand. */
export interface AuditEntry {
  /** What was done, such as `task.fail`. */
  readonly action: string;
  /** The id of what it was done to. */
  readonly subject: string;
  /** Who and what; no secrets. */
  readonly detail: Readonly<Record<string, string | boolean | null>>;
}

const RECORD_AUDIT: Statement = {
  name: 'record-audit',
  text: 'INSERT INTO audit_entries (id, action, subject, detail) VALUES ($1, $2, $3, $4::jsonb)',
};

/** Writes down a change that was made by a statement of its own. */
export async function recordAudit(
  { db }: { readonly db: Pick<Database, 'run'> },
  { action, subject, detail }: AuditEntry,
): Promise<void> {
  await db.run(RECORD_AUDIT, [newId('aud'), action, subject, JSON.stringify(detail)]);
}
