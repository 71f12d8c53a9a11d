import {
  type Catalog,
  type CatalogFault,
  FORMER_RELEASE,
  findUnreadable,
  formatFault,
  type MergedDocument,
} from '@image-gateway/shared/catalog/document';
import type { Database, Statement } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { ALIVE_MS } from '../../provider/list-live-workers.js';
import { parseInThread } from '../documents/parse-in-thread.js';
import { findVersion } from '../versions.js';

// Release 0.2.0 reports no version, and its API calls itself by the bare name.
const FIND_FORMER_PROCESSES: Statement = {
  name: 'find-former-processes',
  text: `
SELECT service || ' (' || host || ', process ' || pid || ')' AS name FROM worker_reports
 WHERE seen_at > now() - make_interval(secs => $1::float8 / 1000) AND NOT COALESCE(report ? 'version', false)
UNION ALL
SELECT 'API (' || COALESCE(host(client_addr), 'local') || ', ' || count(*) || ' sessions)' FROM pg_stat_activity
 WHERE datname = current_database() AND application_name = 'image-gateway-api' GROUP BY client_addr
 ORDER BY name`,
};

/** Processes of the former release, and the faults that they would find. */
export interface FormerReaders {
  readonly processes: readonly string[];
  readonly faults: readonly CatalogFault[];
}

/** Content that a document gives a version, or why it gives none now. */
export type Content =
  | {
      readonly document: MergedDocument;
      readonly catalog: Catalog;
      /** True if built-in content of this release is left out, because the former release can't read it. */
      readonly isPartial: boolean;
    }
  | { readonly faults: readonly CatalogFault[] }
  | { readonly former: FormerReaders };

/**
 * Checks a document and merges it over the built-in content, so that every process that runs can read it. With `upgraded` no
 * process of the former release counts.
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
  const former = upgraded ? null : await findFormerReaders(db, checked.document);
  if (former === null) {
    return { ...checked, isPartial: false };
  }
  const readable = await parseInThread('checkForFormer', source, stored);
  return 'faults' in readable
    ? { former: { ...former, faults: readable.faults } }
    : { ...readable, isPartial: true };
}

/** Returns the running processes that can't read a document, and why; null where every process can. */
export async function findFormerReaders(
  db: Pick<Database, 'run'>,
  document: MergedDocument,
): Promise<FormerReaders | null> {
  const faults = findUnreadable(document);
  const processes = faults.length === 0 ? [] : await findFormerProcesses(db);
  return processes.length === 0 ? null : { processes, faults };
}

/** Creates the error of a change that has to wait for processes of the former release. */
export function refuseForFormer({ processes, faults }: FormerReaders): AppError {
  return new AppError('BAD_REQUEST', {
    publicMessage:
      `Release ${FORMER_RELEASE.version} can't read this (${name(faults.map(formatFault))}), and still runs: ` +
      `${name(processes)}. Upgrade first, or say: catalog apply FILE --upgraded`,
  });
}

/** Describes as faults what has to wait for processes of the former release. */
export function describeFormer({ processes, faults }: FormerReaders): CatalogFault[] {
  return faults.map(({ path, message }) => ({
    path,
    message: `${message}; release ${FORMER_RELEASE.version} can't read it and still runs: ${name(processes)}`,
  }));
}

/** Names a few of a list, since messages have a limit. */
function name(all: readonly string[]): string {
  const [first = '', ...rest] = all.map((one) => one.slice(0, 100));
  return rest.length === 0 ? first : `${first}, and ${rest.length} more`;
}

/** Names the processes of the former release that run: workers by their reports, API processes by their sessions. */
async function findFormerProcesses(db: Pick<Database, 'run'>): Promise<readonly string[]> {
  const rows = await db.run<{ readonly name: string }>(FIND_FORMER_PROCESSES, [ALIVE_MS]);
  return rows.map(({ name }) => name);
}
