import {
  type Catalog,
  type CatalogFault,
  type DocumentNames,
  findUnreadable,
  formatFault,
  intersectNames,
  type MergedDocument,
} from '@image-gateway/shared/catalog/document';
import { getVersion } from '@image-gateway/shared/config';
import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { ALIVE_MS } from '../../provider/list-live-workers.js';
import { parseInThread } from '../documents/parse-in-thread.js';
import { findVersion } from '../versions.js';

/** A running process, and the names that its build reads in documents. */
interface Reader {
  readonly name: string;
  readonly reads: DocumentNames;
}

// API processes of another release read what its workers do, whose reports are kept for a day. A process counts that is known to read less.
const LIST_READERS: Statement = {
  name: 'list-readers',
  text: `
SELECT service || ' (' || host || ', process ' || pid || ')' AS name, report -> 'reads' AS reads FROM worker_reports
 WHERE seen_at > now() - make_interval(secs => $1::float8 / 1000) AND report ? 'reads'
UNION ALL
SELECT 'API (' || COALESCE(host(s.client_addr), 'local') || ', ' || s.sessions || ' sessions)', r.reads
  FROM (SELECT client_addr, split_part(application_name, '/', 2) AS version, count(*) AS sessions FROM pg_stat_activity
         WHERE datname = current_database() AND split_part(application_name, '/', 1) = 'image-gateway-api'
           AND split_part(application_name, '/', 2) <> $2 GROUP BY 1, 2) s
  JOIN LATERAL (SELECT report -> 'reads' AS reads FROM worker_reports
                 WHERE report ->> 'version' = s.version AND report ? 'reads' ORDER BY seen_at DESC LIMIT 1) r ON true
 ORDER BY name`,
};

/** Processes of a former build that run, and the faults that they would find. */
export interface PreviousReaders {
  readonly processes: readonly string[];
  readonly faults: readonly CatalogFault[];
}

/** Content that a document gives a version, or why it gives none now. */
export type Content =
  | {
      readonly document: MergedDocument;
      readonly catalog: Catalog;
      /** True if built-in content of this release is left out, because a process that runs can't read it. */
      readonly isPartial: boolean;
    }
  | { readonly faults: readonly CatalogFault[] }
  | { readonly former: PreviousReaders };

/**
 * Checks a document and merges it over the built-in content, so that every process that runs can read it. With `upgraded` no
 * other process counts.
 */
export async function readContent(
  db: Pick<Database, 'run'>,
  source: string,
  { upgraded = false }: { readonly upgraded?: boolean } = {},
): Promise<Content> {
  const { document: stored } = await findVersion(db, null);
  const checked = await parseInThread('checkDocument', source, stored);
  if ('faults' in checked) {
    return checked;
  }
  const readers = upgraded ? [] : await listReaders(db);
  const former = findFormer(readers, checked.document);
  if (former === null) {
    return { ...checked, isPartial: false };
  }
  const known = intersectNames(readers.map(({ reads }) => reads));
  const readable = await parseInThread('checkForPrevious', source, known, stored);
  return 'faults' in readable
    ? { former: { ...former, faults: readable.faults } }
    : { ...readable, isPartial: true };
}

/** Returns the running processes that can't read a document, and why; null where every process can. */
export async function findPreviousReaders(
  db: Pick<Database, 'run'>,
  document: MergedDocument,
): Promise<PreviousReaders | null> {
  return findFormer(await listReaders(db), document);
}

function findFormer(readers: readonly Reader[], document: MergedDocument): PreviousReaders | null {
  const former = readers.filter(({ reads }) => findUnreadable(document, intersectNames([reads])).length > 0);
  const known = intersectNames(former.map(({ reads }) => reads));
  return former.length === 0
    ? null
    : { processes: former.map(({ name }) => name), faults: findUnreadable(document, known) };
}

/** Creates the error of a change that has to wait for processes of a former build. */
export function refuseForPrevious({ processes, faults }: PreviousReaders): AppError {
  return new AppError('BAD_REQUEST', {
    publicMessage:
      `Processes of the former release can't read this (${name(faults.map(formatFault))}), and still run: ` +
      `${name(processes)}. Upgrade first, or say: catalog apply FILE --upgraded`,
  });
}

/** Describes as faults what has to wait for processes of a former build. */
export function describePrevious({ processes, faults }: PreviousReaders): CatalogFault[] {
  return faults.map(({ path, message }) => ({
    path,
    message: `${message}; the former release can't read it and still runs: ${name(processes)}`,
  }));
}

/** Names a few of a list, since messages have a limit. */
function name(all: readonly string[]): string {
  const [first = '', ...rest] = all.map((one) => one.slice(0, 100));
  return rest.length === 0 ? first : `${first}, and ${rest.length} more`;
}

function listReaders(db: Pick<Database, 'run'>): Promise<readonly Reader[]> {
  return db.run<Reader>(LIST_READERS, [ALIVE_MS, getVersion()]);
}
