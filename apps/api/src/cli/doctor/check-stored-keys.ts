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
import { explainError } from '../explain-error.js';
import { type CheckResult, fault, fine, warning } from './check-result.js';

const PART = 'stored keys';
const table = { ...upstreamSettings, ENCRYPTION_KEY: sharedSettings.ENCRYPTION_KEY };

/** Reads the stored keys of providers that this environment can decrypt; none where anything is missing, which other checks report. */
export async function readStoredKeys(
  env: Readonly<Record<string, string | undefined>>,
  db: Pick<Database, 'run'> | null,
  loading: Promise<Catalog>,
): Promise<OpenedKeys['keys']> {
  try {
    const settings = loadSettings(table, env);
    const rows = db === null ? [] : await listProviderKeys(db);
    const { ENCRYPTION_KEY: encryptionKeys } = settings;
    return openStoredKeys(rows, { encryptionKeys, settings, catalog: await loading }).keys;
  } catch {
    // The checks of the settings, the database and the stored keys name the fault.
    return new Map();
  }
}

/** Checks that the stored keys of providers can be used, and which of several encryption keys is still needed. */
export async function checkStoredKeys(
  env: Readonly<Record<string, string | undefined>>,
  db: Pick<Database, 'run'>,
  loading: Promise<Catalog>,
): Promise<CheckResult[]> {
  try {
    const settings = loadSettings(table, env);
    const { ENCRYPTION_KEY: encryptionKeys } = settings;
    const [rows, ending, catalog] = await Promise.all([listProviderKeys(db), listEndingKeys(db), loading]);
    if (rows.length + ending.length === 0) {
      return [];
    }
    const { keys, unused } = openStoredKeys(rows, { encryptionKeys, settings, catalog });
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
  } catch (error) {
    // The check of the settings names a bad setting.
    return error instanceof ConfigError ? [] : [warning(PART, 'cannot be read', explainError(error).message)];
  }
}

/** Checks that the running jobs of each provider can be polled with a key of this environment. */
export async function checkKeysOfJobs(
  env: Readonly<Record<string, string | undefined>>,
  db: Pick<Database, 'run'>,
  loading: Promise<Catalog>,
): Promise<CheckResult[]> {
  try {
    const { ENCRYPTION_KEY: encryptionKeys, ...loaded } = loadSettings(table, env);
    const [jobs, stored, ending, catalog] = await Promise.all([
      countJobsOfKeys(db),
      listProviderKeys(db),
      listEndingKeys(db),
      loading,
    ]);
    const open = (rows: Parameters<typeof openStoredKeys>[0]) =>
      openStoredKeys(rows, { encryptionKeys, settings: loaded, catalog }).keys;
    const keys = open(stored);
    const settings = mergeStoredKeys(loaded, keys);
    const readKeys = readWithStoredKeys(createKeyReader(env), keys);
    const former = ending.flatMap((row) => open([row]).get(row.name) ?? []);
    const places = { settings: { ...settings, OUTBOUND_ALLOW: [] }, catalog, readKeys };
    return jobs.flatMap(({ provider, fingerprint, jobs: count }) => {
      const here = [...(configureProvider(provider, places, null)?.keys ?? []), ...former];
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
  } catch (error) {
    // The check of the settings names a bad setting.
    return error instanceof ConfigError ? [] : [warning(PART, 'cannot be read', explainError(error).message)];
  }
}
