import { resolve } from 'node:path';
import { readBuiltInCatalog, type StatedEnd } from '@image-gateway/shared/catalog/document';
import { getPublicUrls, loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { type Database, listStatedEnds, loadActiveCatalog } from '@image-gateway/shared/db';
import { STORE_SETTINGS, toStoreSettings } from '@image-gateway/shared/storage';
import type { CliContext } from '../cli/cli-context.js';
import { listWorkerProviders } from '../provider/list-worker-providers.js';
import { checkCatalog, readEnabledModels } from './check-catalog.js';
import { checkConnections } from './check-connections.js';
import { checkDisk } from './check-disk.js';
import { checkEndpoints } from './check-endpoints.js';
import { checkInstances } from './check-instances.js';
import { checkPostgres } from './check-postgres.js';
import { checkProviders, type ProviderResults } from './check-providers.js';
import { checkRedis } from './check-redis.js';
import { checkRefusals } from './check-refusals.js';
import { checkReported } from './check-reported.js';
import type { CheckResult } from './check-result.js';
import { checkSettings } from './check-settings.js';
import { checkStorage } from './check-storage.js';
import { checkKeysOfJobs, checkStoredKeys, readStoredKeys } from './check-stored-keys.js';
import { checkWork } from './check-work.js';

const { DATABASE_URL, DATABASE_POOL, REDIS_URL, REDIS_PREFIX, PORT, BASE_URL, FILE_URL } = sharedSettings;
const { SPOOL_DIR, SPOOL_MAX } = sharedSettings;

/** Runs all checks of an installation; those of a service without its settings are left out. */
export async function runChecks({ env, projectDir, db }: CliContext): Promise<CheckResult[]> {
  const settings = checkSettings(env);
  const usable = <T>(read: () => T): T | null => {
    try {
      return read();
    } catch {
      // The check of the settings reports it.
      return null;
    }
  };
  const database = usable(() => loadSettings({ DATABASE_URL }, env)) && db();
  const redis = usable(() => loadSettings({ REDIS_URL, REDIS_PREFIX }, env));
  const s3 = usable(() => loadSettings(STORE_SETTINGS, env));
  const spool = usable(() => loadSettings({ SPOOL_DIR, SPOOL_MAX }, env));
  const urls = usable(() => loadSettings({ PORT, BASE_URL, FILE_URL }, env));
  const isPublicBucket =
    urls !== null && getPublicUrls(urls).fileUrl !== getPublicUrls({ ...urls, FILE_URL: undefined }).fileUrl;
  const loading = database === null ? null : loadActiveCatalog(database);
  // Without a database, the routes are those that a new gateway starts with.
  const catalog =
    loading === null
      ? Promise.resolve(readBuiltInCatalog())
      : loading.then((loaded) => loaded.catalog, readBuiltInCatalog);
  const providers = checkProviders(env, catalog, readStoredKeys(env, database, catalog));
  const parts = await Promise.all([
    database === null ? [] : checkPostgres(database, resolve(projectDir, 'prisma/migrations')),
    redis === null ? [] : checkRedis(redis.REDIS_URL, redis.REDIS_PREFIX),
    s3 === null ? [] : checkStorage(toStoreSettings(s3), { publicRead: isPublicBucket }),
    database === null ? [] : checkWork(database),
    database === null ? [] : checkEndpoints(database),
    database === null
      ? []
      : checkConnections(database, usable(() => loadSettings({ DATABASE_POOL }, env))?.DATABASE_POOL),
    loading === null
      ? []
      : checkCatalog(
          env,
          loading,
          database === null ? [] : listWorkerProviders(database),
          listEnds(providers, database),
        ),
    providers.then(({ results }) => results),
    database === null ? [] : checkStoredKeys(env, database, catalog),
    database === null ? [] : checkKeysOfJobs(env, database, catalog),
    database === null ? [] : checkInstances(database, catalog),
    database === null ? [] : checkRefusals(database, catalog, readEnabledModels(env)),
    checkReported(database, spool),
    checkDisk(resolve(projectDir, env.DATA_DIR?.trim() || '.data')),
  ]);
  return [...settings, ...parts.flat().filter((check) => check !== null)];
}

/** Lists the ends of models that lists of providers state now, and for others what the last daily look of a worker found. */
async function listEnds(
  providers: Promise<ProviderResults>,
  database: Pick<Database, 'run'> | null,
): Promise<readonly StatedEnd[]> {
  const [{ ends }, kept] = await Promise.all([providers, database === null ? [] : listStatedEnds(database)]);
  const fresh = [...ends].flatMap(([provider, own]) => own?.map((end) => ({ provider, ...end })) ?? []);
  return [...kept.filter(({ provider }) => (ends.get(provider) ?? null) === null), ...fresh];
}
