import { type Catalog, type OpenedKeys, openStoredKeys } from '@image-gateway/shared/catalog/document';
import { ConfigError, loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { type Database, listProviderKeys } from '@image-gateway/shared/db';
import { getEncryptionKeyId, upstreamSettings } from '@image-gateway/shared/upstreams';
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
    const [rows, catalog] = await Promise.all([listProviderKeys(db), loading]);
    if (rows.length === 0) {
      return [];
    }
    const { keys, unused } = openStoredKeys(rows, { encryptionKeys, settings, catalog });
    const [first, ...former] = encryptionKeys.map(getEncryptionKeyId);
    const isFormerNeeded = rows.some(({ encryptionKeyId }) => encryptionKeyId !== first);
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
