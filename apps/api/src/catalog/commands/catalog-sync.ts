import { Command } from '@commander-js/extra-typings';
import { type Catalog, listEnabledModels } from '@image-gateway/shared/catalog/document';
import { ConfigError, loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { loadActiveCatalog } from '@image-gateway/shared/db';
import type { CliRun } from '../../cli/cli-context.js';
import { formatExample } from '../../cli/help.js';
import { listSandboxModels } from '../../provider/list-sandbox-models.js';
import { readProvidersInUse } from '../../provider/read-providers-in-use.js';
import { type SyncedCatalog, syncCatalog } from '../sync-catalog.js';
import { readDocument } from './read-document.js';
import { renderWarnings } from './render-faults.js';

/** Builds `catalog sync`, which applies CATALOG_FILE and the built-in content of this release where they have changed. */
export function buildCatalogSync({ env, db, show }: CliRun) {
  return new Command('sync')
    .description('Apply CATALOG_FILE and new built-in content if they have changed; every start runs this')
    .option('--force', 'apply CATALOG_FILE although another version followed its last one')
    .option('--upgraded', 'no process of the former release runs, although a pooler of PostgreSQL hides it')
    .addHelpText('after', formatExample('catalog sync'))
    .action(async ({ force = false, upgraded = false }) => {
      const { CATALOG_FILE: path } = loadSettings({ CATALOG_FILE: sharedSettings.CATALOG_FILE }, env);
      const file = path === undefined ? null : { path, source: await readDocument(path) };
      const synced = await syncCatalog(db(), { file, force, upgraded });
      const { version, inserted, isFileReplaced, faults, waiting } = synced;
      const text = describe(synced);
      const { catalog } = await loadActiveCatalog(db());
      const value = {
        version,
        inserted,
        file_replaced: isFileReplaced,
        faults,
        waiting: waiting && { content: waiting.content, processes: waiting.processes },
        ...describeProviders(env, catalog),
      };
      show({ value, text });
    });
}

/**
 * Names the providers in use in this environment, and the models that only the sandbox draws; nothing under faulty settings,
 * which every process reports itself.
 */
function describeProviders(
  env: CliRun['env'],
  catalog: Catalog,
): { readonly providers?: readonly string[]; readonly sandbox_models?: readonly string[] } {
  try {
    const inUse = readProvidersInUse(env)(catalog);
    const { ENABLED_MODELS } = loadSettings({ ENABLED_MODELS: sharedSettings.ENABLED_MODELS }, env);
    const offered = listEnabledModels(catalog, ENABLED_MODELS);
    return { providers: inUse.names, sandbox_models: listSandboxModels(offered, catalog, inUse) };
  } catch (error) {
    if (error instanceof ConfigError) {
      return {};
    }
    throw error;
  }
}

function describe({ version, inserted, isFileReplaced, faults, waiting }: SyncedCatalog): string {
  if (waiting !== null) {
    const what = waiting.content === 'file' ? 'CATALOG_FILE' : 'The built-in content of this release';
    return `Catalog version ${version} is active. ${what} waits: these processes of the former release can't read it: ${waiting.processes.join(', ')}. The API applies it when they have ended.`;
  }
  if (inserted === 'file') {
    return `Catalog version ${version} has the content of CATALOG_FILE.`;
  }
  if (faults.length > 0) {
    return `Catalog version ${version} stays active: its document does not fit the built-in content of this release.${renderWarnings(faults)}`;
  }
  const replaced = isFileReplaced ? ' It replaced the document of CATALOG_FILE.' : '';
  return inserted === 'built-in'
    ? `Catalog version ${version} has the built-in content of this release.${replaced}`
    : `Catalog version ${version} is active.${replaced}`;
}
