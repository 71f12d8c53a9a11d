import {
  type Catalog,
  mergeStoredKeys,
  type OpenedKeys,
  openStoredKeys,
  readWithStoredKeys,
} from '@image-gateway/shared/catalog/document';
import { ConfigError, loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { countJobsOfKeys, type Database, listEndingKeys, listProviderKeys } from '@image-gateway/shared/db';
import { configureProvider } from '@image-gateway/shared/upstream-checks';
import {
  computeFingerprint,
  createKeyReader,
  getEncryptionKeyId,
  upstreamSettings,
} from '@image-gateway/shared/upstreams';
import { explainError } from '../cli/explain-error.js';
import { type CheckResult, fault, fine, warning } from './check-result.js';

const PART = 'stored keys';
const table = { ...upstreamSettings, ENCRYPTION_KEY: sharedSettings.ENCRYPTION_KEY };

type Env = Readonly<Record<string, string | undefined>>;
type Reader = Pick<Database, 'run'>;

/** Reads the stored keys, those that end included; `open` decrypts some of them. Throws ConfigError for bad settings. */
async function loadStoredKeys(env: Env, db: Reader, loading: Promise<Catalog>) {
  const { ENCRYPTION_KEY: encryptionKeys, ...settings } = loadSettings(table, env);
  const [rows, ending, catalog] = await Promise.all([listProviderKeys(db), listEndingKeys(db), loading]);
  const open = (some: Parameters<typeof openStoredKeys>[0]): OpenedKeys =>
    openStoredKeys(some, { encryptionKeys, settings, catalog });
  return { encryptionKeys, settings, rows, ending, catalog, open };
}

/** Returns what a check finds, or a warning that the keys cannot be read. The check of the settings names a bad setting. */
async function warnOfFailure(checking: Promise<CheckResult[]>): Promise<CheckResult[]> {
  try {
    return await checking;
  } catch (error) {
    return error instanceof ConfigError ? [] : [warning(PART, 'cannot be read', explainError(error).message)];
  }
}

/** Reads the stored keys of providers that this environment can decrypt; none where anything is missing, which other checks report. */
export async function readStoredKeys(
  env: Env,
  db: Reader | null,
  loading: Promise<Catalog>,
): Promise<OpenedKeys['keys']> {
  if (db === null) {
    return new Map();
  }
  try {
    const { rows, open } = await loadStoredKeys(env, db, loading);
    return open(rows).keys;
  } catch {
    // The checks of the settings, the database and the stored keys name the fault.
    return new Map();
  }
}

/** Checks that the stored keys of providers can be used, and which of several encryption keys is still needed. */
export function checkStoredKeys(env: Env, db: Reader, loading: Promise<Catalog>): Promise<CheckResult[]> {
  return warnOfFailure(findUnusedKeys(env, db, loading));
}

async function findUnusedKeys(env: Env, db: Reader, loading: Promise<Catalog>): Promise<CheckResult[]> {
  const { encryptionKeys, rows, ending, open } = await loadStoredKeys(env, db, loading);
  if (rows.length + ending.length === 0) {
    return [];
  }
  const { keys, unused } = open(rows);
  const [first, ...former] = encryptionKeys.map(getEncryptionKeyId);
  const isFormerNeeded = [...rows, ...ending].some(({ encryptionKeyId }) => encryptionKeyId !== first);
  return [
    ...(keys.size > 0 ? [fine(PART, `usable: ${[...keys.keys()].join(', ')}`)] : []),
    ...unused.map(({ name, reason }) =>
      fault(PART, `the key of ${name} is not used: ${reason}`, 'Set it again with: provider key set'),
    ),
    ...(former.length > 0 && !isFormerNeeded
      ? [
          warning(
            PART,
            'all are encrypted with the first ENCRYPTION_KEY',
            'Remove the others from ENCRYPTION_KEY.',
          ),
        ]
      : []),
  ];
}

/** Checks that the running jobs of each provider can be polled with a key of this environment. */
export function checkKeysOfJobs(env: Env, db: Reader, loading: Promise<Catalog>): Promise<CheckResult[]> {
  return warnOfFailure(findJobsWithoutKey(env, db, loading));
}

async function findJobsWithoutKey(env: Env, db: Reader, loading: Promise<Catalog>): Promise<CheckResult[]> {
  const [{ settings: loaded, rows, ending, catalog, open }, jobs] = await Promise.all([
    loadStoredKeys(env, db, loading),
    countJobsOfKeys(db),
  ]);
  const { keys } = open(rows);
  const settings = { ...mergeStoredKeys(loaded, keys), OUTBOUND_ALLOW: [] };
  const readKeys = readWithStoredKeys(createKeyReader(env), keys);
  const former = ending.flatMap((row) => open([row]).keys.get(row.name) ?? []);
  return jobs.flatMap(({ provider, fingerprint, jobs: count }) => {
    const here = [
      ...(configureProvider(provider, { settings, catalog, readKeys }, null)?.keys ?? []),
      ...former,
    ];
    return here.some((key) => computeFingerprint(key) === fingerprint)
      ? []
      : [
          warning(
            provider,
            `running jobs have the key ${fingerprint}, which is not here: ${count}`,
            'Set it beside the present one in the environment of the generation workers until they have ended.',
          ),
        ];
  });
}
