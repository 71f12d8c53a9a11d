import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSettings } from '@image-gateway/shared/config';
import {
  applyMigrations,
  compareObjects,
  createDatabase,
  type DatabaseFacts,
  type ObjectComparison,
  readFacts,
} from '@image-gateway/shared/db';
import {
  createObjectStore,
  type ObjectStore,
  STORE_SETTINGS,
  toStoreSettings,
} from '@image-gateway/shared/storage';
import { checkLedger } from '../ledger/check-ledger.js';
import { type ExplainedInvariant, explainBroken } from '../ledger/explain-broken.js';
import type { BackupScope } from './backup-scope.js';
import { readObject, readPages } from './list-objects.js';
import { FILES, type Manifest, readLines, type SavedObject } from './manifest.js';

/** Content of a restored database against what its backup says. */
export interface RestoredCheck {
  readonly facts: DatabaseFacts;
  /** Counts that differ from those of the backup. */
  readonly counts: Readonly<Record<string, { readonly expected: number; readonly found: number }>>;
  readonly migrations: readonly string[];
  readonly checked: number;
  readonly broken: readonly ExplainedInvariant[];
  /** Null where no object store is named. */
  readonly objects: ObjectComparison | null;
  /** Objects that were read, and how many of them have other bytes than the backup lists; null unless asked for. */
  readonly read: {
    readonly objects: number;
    readonly differing: number;
    readonly keys: readonly string[];
  } | null;
}

/** Restored database, and the backup that it comes from. */
export interface RestoredDatabase {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly url: string;
  /** Settings with the object store. */
  readonly env: BackupScope['env'];
  /** True for a database that migrations may be applied to. */
  readonly isOwn: boolean;
  readonly isRead: boolean;
}

const SHOWN = 10;
const STATEMENT_TIMEOUT_MS = 60 * 60_000;

/** Checks a restored database: its rows, the invariants of money and states, and its images in the object store. */
export async function checkRestored(scope: BackupScope, restored: RestoredDatabase): Promise<RestoredCheck> {
  const { projectDir, report, progress } = scope;
  const { manifest, url, isOwn } = restored;
  const facts = await readFacts(url);
  const folder = join(projectDir, 'prisma/migrations');
  const migrations = isOwn ? await applyMigrations({ url, folder, report, tell: report }) : [];
  const db = createDatabase({
    url,
    applicationName: 'image-gateway restore',
    max: 2,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onIdleError: () => undefined,
  });
  try {
    const { checked, broken: found } = await checkLedger(
      { db },
      {
        invariants: await readFile(join(projectDir, 'prisma/invariants.sql'), 'utf8'),
        // Some hold only when no task is pending; a backup may be taken at any moment.
        rest: facts.counts.pending_tasks === 0,
        onProgress: ({ part, done }) => progress(() => `${done} ${part}s checked`),
      },
    );
    const broken = await explainBroken(db, found);
    const { objects, read } = await checkObjects(scope, restored);
    return { facts, counts: compareCounts(manifest, facts), migrations, checked, broken, objects, read };
  } finally {
    await db.close();
  }
}

function compareCounts({ database }: Manifest, { counts }: DatabaseFacts): RestoredCheck['counts'] {
  if (database?.counts_are_exact !== true) {
    return {};
  }
  const pairs = Object.entries(database.counts).map(
    ([name, expected]) => [name, { expected, found: counts[name] ?? 0 }] as const,
  );
  return Object.fromEntries(pairs.filter(([, { expected, found }]) => expected !== found));
}

async function checkObjects(
  scope: BackupScope,
  restored: RestoredDatabase,
): Promise<Pick<RestoredCheck, 'objects' | 'read'>> {
  const { folder, manifest, url, env, isRead } = restored;
  if (!env.S3_ENDPOINT?.trim()) {
    return { objects: null, read: null };
  }
  const store = createObjectStore(toStoreSettings(loadSettings(STORE_SETTINGS, env)));
  try {
    // A folder holds its objects, so its store is its listing.
    const listing =
      manifest.kind === 'folder'
        ? readPages(store)
        : toPages(readLines<SavedObject>(join(folder, FILES.objects)));
    const objects = await compareObjects(url, { listing, store: readPages(store) }, (count) =>
      scope.progress(() => `${count} objects compared`),
    );
    const read = isRead && manifest.kind === 'dump' ? await readAll(scope, restored, store) : null;
    return { objects, read };
  } finally {
    store.close();
  }
}

const PAGE = 1_000;

async function* toPages(objects: AsyncIterable<SavedObject>): AsyncGenerator<readonly SavedObject[]> {
  let page: SavedObject[] = [];
  for await (const object of objects) {
    page.push(object);
    if (page.length === PAGE) {
      yield page;
      page = [];
    }
  }
  yield page;
}

/** Reads the objects of the listing that the store has, and counts those with other bytes. */
async function readAll(
  { signal, progress }: BackupScope,
  { folder }: RestoredDatabase,
  store: ObjectStore,
): Promise<RestoredCheck['read']> {
  let [objects, differing] = [0, 0];
  const keys: string[] = [];
  for await (const { key, sha256 } of readLines<SavedObject>(join(folder, FILES.objects))) {
    signal.throwIfAborted();
    const found = await readObject(store, key);
    objects += found === null ? 0 : 1;
    if (found !== null && sha256 !== undefined && found.sha256 !== sha256) {
      differing += 1;
      keys.push(...(keys.length < SHOWN ? [key] : []));
    }
    progress(() => `${objects} objects read`);
  }
  return { objects, differing, keys };
}
