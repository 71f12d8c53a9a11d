import type { AuditItem } from '@image-gateway/shared/contract';
import type { AuditEntry, Database, Statement } from '@image-gateway/shared/db';
import { type ListCursor, type ListPart, START_OF_LIST, toPart } from '../list-cursor.js';

/** Entries of the audit log to list. */
export interface AuditFilter {
  /** Only of this id; null: of everything. */
  readonly subject: string | null;
  /** Leaves out the changes that owners made in their own accounts. */
  readonly onlyOperators: boolean;
  /** The part begins after this place; absent: with the newest entry. */
  readonly after?: ListCursor | undefined;
  readonly limit: number;
}

type Row = Readonly<Pick<AuditEntry, 'id' | 'action' | 'subject' | 'detail' | 'accountId' | 'createdAt'>>;

// A text of its own for each filter, so that its plan uses the index of the filter.
const listBy = (name: string, condition: string): Statement => ({
  name: `list-audit-${name}`,
  text: `
SELECT id, action, subject, detail, account_id AS "accountId", created_at AS "createdAt" FROM audit_entries
 WHERE ${condition} AND (created_at, id) < ($1::timestamptz, $2::text) ORDER BY created_at DESC, id DESC LIMIT $3::int`,
});
const LIST_ALL = listBy('all', 'true');
const LIST_OPERATORS = listBy('operators', 'account_id IS NULL');
const LIST_SUBJECT = listBy('subject', 'subject = $4::text');
const LIST_SUBJECT_OPERATORS = listBy('subject-operators', 'account_id IS NULL AND subject = $4::text');

/** Lists the audit log part by part, newest first. */
export async function listAudit(
  db: Pick<Database, 'run'>,
  { subject, onlyOperators, after = START_OF_LIST, limit }: AuditFilter,
): Promise<ListPart<AuditItem>> {
  const place = [after.time, after.id, limit + 1];
  const rows =
    subject === null
      ? await db.run<Row>(onlyOperators ? LIST_OPERATORS : LIST_ALL, place)
      : await db.run<Row>(onlyOperators ? LIST_SUBJECT_OPERATORS : LIST_SUBJECT, [...place, subject]);
  return toPart(rows, limit, presentEntry);
}

function presentEntry({ id, action, subject, detail, accountId, createdAt }: Row): AuditItem {
  const { actor = 'unknown', ...rest } = (detail ?? {}) as Record<string, unknown>;
  return {
    id,
    action,
    subject,
    actor: String(actor),
    account_id: accountId,
    detail: rest,
    created_at: createdAt.toISOString(),
  };
}
