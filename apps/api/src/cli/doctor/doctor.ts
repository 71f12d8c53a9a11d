import { resolve } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { readBuiltInCatalog } from '@image-gateway/shared/catalog/document';
import { getPublicUrls, loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { STORE_SETTINGS, toStoreSettings } from '@image-gateway/shared/storage';
import { loadActiveCatalog } from '../../operations/catalog/load-active-catalog.js';
import { listWorkerProviders } from '../../operations/provider/list-worker-providers.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { cellText } from '../render-table.js';
import { checkCatalog } from './check-catalog.js';
import { checkConnections } from './check-connections.js';
import { checkDisk } from './check-disk.js';
import { checkInstances } from './check-instances.js';
import { checkPostgres } from './check-postgres.js';
import { checkProviders } from './check-providers.js';
import type { CheckResult } from './check-result.js';
import { checkSettings } from './check-settings.js';
import { checkSpool } from './check-spool.js';
import { checkWork } from './check-work.js';

const { DATABASE_URL, DATABASE_POOL, REDIS_URL, PORT, BASE_URL, FILE_URL } = sharedSettings;
const { SPOOL_DIR, SPOOL_MAX } = sharedSettings;

/** Builds `doctor`, which checks everything that the gateway needs and prints remediations. */
export function buildDoctor(run: CliRun) {
  return new Command('doctor')
    .description('Check every dependency and print what to do about each fault; exit code 1 on a fault')
    .addHelpText('after', formatExample('doctor'))
    .action(async () => {
      const results = await runChecks(run);
      const faults = results.filter(({ level }) => level === 'fault').length;
      const message = faults === 1 ? 'There is 1 fault.' : `There are ${faults} faults.`;
      // Tools know the fields of a check by these names.
      const checks = results.map(({ part, level, observed, remediation }) => ({
        part,
        level,
        seen: observed,
        mend: remediation,
      }));
      const value =
        faults === 0
          ? { ok: true, checks }
          : { error: { code: 'INTERNAL_ERROR', message }, ok: false, checks };
      run.show({ failed: faults > 0, value, text: renderChecks(results) });
    });
}

async function runChecks({ env, projectDir, db }: CliRun): Promise<CheckResult[]> {
  // The clients of Redis and the object store take longer to load than most commands take to run.
  const [{ checkRedis }, { checkStorage }] = await Promise.all([
    import('./check-redis.js'),
    import('./check-storage.js'),
  ]);
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
  const redis = usable(() => loadSettings({ REDIS_URL }, env));
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
  const parts = await Promise.all([
    database === null ? [] : checkPostgres(database, resolve(projectDir, 'prisma/migrations')),
    redis === null ? [] : checkRedis(redis.REDIS_URL),
    s3 === null ? [] : checkStorage(toStoreSettings(s3), { publicRead: isPublicBucket }),
    database === null ? [] : checkWork(database),
    database === null
      ? []
      : checkConnections(database, usable(() => loadSettings({ DATABASE_POOL }, env))?.DATABASE_POOL),
    loading === null
      ? []
      : checkCatalog(env, loading, database === null ? [] : listWorkerProviders(database)),
    checkProviders(env, catalog),
    database === null ? [] : checkInstances(database, catalog),
    spool === null ? [] : checkSpool(spool),
    checkDisk(resolve(projectDir, env.DATA_DIR?.trim() || '.data')),
  ]);
  return [...settings, ...parts.flat().filter((check) => check !== null)];
}

const MARKS = { ok: 'ok     ', warning: 'warning', fault: 'FAULT  ' } as const;

/** Renders the results of the doctor, one line each, and below a warning or fault its remediation. */
function renderChecks(checks: readonly CheckResult[]): string {
  const width = Math.max(...checks.map(({ part }) => part.length));
  const lines = checks.flatMap(({ part, level, observed, remediation }) => [
    `${MARKS[level]}  ${part.padEnd(width)}  ${cellText(observed)}`,
    ...(remediation === null ? [] : [`${' '.repeat(MARKS.ok.length + width + 4)}→ ${remediation}`]),
  ]);
  const count = (level: CheckResult['level']): string => {
    const found = checks.filter((check) => check.level === level).length;
    return `${found} ${level}${found === 1 ? '' : 's'}`;
  };
  return [...lines, '', `${count('fault')}, ${count('warning')}`].join('\n');
}
