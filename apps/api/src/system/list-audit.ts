import type { AuditEntry, Database, Statement } from '@image-gateway/shared/db';
import { formatCsv } from '@image-gateway/shared/presenters';
import type { AuditItem } from '@image-gateway/shared/system/schema';
import {
  type ListCursor,
  type ListPart,
  parseCursor,
  START_OF_LIST,
  toPart,
} from '@image-gateway/shared/validation';

/** Entries of the audit log to list; null filters nothing. */
export interface AuditFilter {
  /** Id of what was changed. */
  readonly subject: string | null;
  /** E-mail address of the author, or cli. */
  readonly actor: string | null;
  /** Such as key.rotate. */
  readonly action: string | null;
  /** UTC day such as 2026-01-31. */
  readonly day: string | null;
  /** Leaves out the changes that owners made in their own accounts. */
  readonly onlyOperators: boolean;
}

/** Part of the list. */
interface AuditPart {
  /** The part begins after this place; absent: with the newest entry. */
  readonly after?: ListCursor | undefined;
  readonly limit: number;
}

type Row = Readonly<Pick<AuditEntry, 'id' | 'action' | 'subject' | 'detail' | 'accountId' | 'createdAt'>>;

const EXPORTED_PART = 1_000;
const CSV_COLUMNS = ['created_at', 'action', 'subject', 'actor', 'account_id', 'detail'] as const;

/** Conditions of the filters that are given; `$` stands for the place of the value. */
const CONDITIONS: readonly (readonly [keyof AuditFilter, string])[] = [
  ['onlyOperators', 'account_id IS NULL'],
  ['subject', 'subject = $::text'],
  ['actor', "detail ->> 'actor' = $::text"],
  ['action', 'action = $::text'],
  ['day', "created_at >= $::date AND created_at < $::date + interval '1 day'"],
];

/** Lists the audit log part by part, newest first. */
export async function listAudit(
  db: Pick<Database, 'run'>,
  { after = START_OF_LIST, limit, ...filter }: AuditFilter & AuditPart,
): Promise<ListPart<AuditItem>> {
  const { statement, values } = build(filter);
  const rows = await db.run<Row>(statement, [after.time, after.id, limit + 1, ...values]);
  return toPart(rows, limit, presentEntry);
}

/** Returns the audit log as the lines of a CSV file, newest first, a part at a time. */
export async function* exportAudit(
  db: Pick<Database, 'run'>,
  filter: AuditFilter,
): AsyncGenerator<string, void> {
  yield formatCsv(CSV_COLUMNS);
  for (let place: string | null = ''; place !== null; ) {
    const after = parseCursor(place) ?? undefined;
    const { items, next }: ListPart<AuditItem> = await listAudit(db, {
      ...filter,
      after,
      limit: EXPORTED_PART,
    });
    yield items
      .map(({ detail, ...item }) =>
        formatCsv(
          CSV_COLUMNS.map((name) => (name === 'detail' ? JSON.stringify(detail) : (item[name] ?? ''))),
        ),
      )
      .join('');
    place = next;
  }
}

/** Builds the statement of the filters that are given: a text of its own for each set, so that its plan uses their index. */
function build(filter: AuditFilter): { readonly statement: Statement; readonly values: readonly string[] } {
  const values: string[] = [];
  const names: string[] = [];
  const conditions = CONDITIONS.flatMap(([name, condition]) => {
    const value = filter[name];
    if (value === null || value === false) {
      return [];
    }
    names.push(name);
    if (typeof value === 'string') {
      values.push(value);
    }
    return [condition.replaceAll('$', `$${values.length + 3}`)];
  });
  const statement = {
    name: ['list-audit', ...names].join('-'),
    text: `
SELECT id, action, subject, detail, account_id AS "accountId", created_at AS "createdAt" FROM audit_entries
 WHERE ${[...conditions, '(created_at, id) < ($1::timestamptz, $2::text)'].join(' AND ')}
 ORDER BY created_at DESC, id DESC LIMIT $3::int`,
  };
  return { statement, values };
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
