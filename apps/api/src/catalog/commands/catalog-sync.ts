import { type Catalog, listEnabledModels } from '@image-gateway/shared/catalog/document';
import { ConfigError, loadSettings, sharedSettings } from '@image-gateway/shared/config';
import { loadActiveCatalog } from '@image-gateway/shared/db';
import type { CliContext } from '../../cli/cli-context.js';
import { defineCommand, flag } from '../../cli/define-command.js';
import { listSandboxModels } from '../../provider/list-sandbox-models.js';
import { readProvidersInUse } from '../../provider/read-providers-in-use.js';
import { type SyncedCatalog, syncCatalog } from '../sync-catalog.js';
import { UPGRADED } from './catalog-apply.js';
import { readDocument } from './read-document.js';
import { renderWarnings } from './render-faults.js';

/** Command `catalog sync`, which applies CATALOG_FILE and the built-in content of this release where they have changed. */
export const commands = {
  sync: defineCommand({
    about: 'Apply CATALOG_FILE and new built-in content if they have changed; every start runs this',
    options: {
      force: flag('apply CATALOG_FILE although another version followed its last one'),
      upgraded: UPGRADED,
    },
    run: async ({ env, db }, terms) => {
      const { CATALOG_FILE: path } = loadSettings({ CATALOG_FILE: sharedSettings.CATALOG_FILE }, env);
      const file = path === undefined ? null : { path, source: await readDocument(path) };
      const synced = await syncCatalog(db(), { file, ...terms });
      const { version, inserted, isFileReplaced, faults, waiting } = synced;
      const { catalog } = await loadActiveCatalog(db());
      const value = {
        version,
        inserted,
        file_replaced: isFileReplaced,
        faults,
        waiting: waiting && { content: waiting.content, processes: waiting.processes },
        ...describeProviders(env, catalog),
      };
      return { value, text: describe(synced) };
    },
  }),
};

/**
 * Names the providers in use in this environment, and the models that only the sandbox draws; nothing under faulty settings,
 * which every process reports itself.
 */
function describeProviders(
  env: CliContext['env'],
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
    const why = `these processes of the former release can't read it: ${waiting.processes.join(', ')}`;
    return `Catalog version ${version} is active. ${what} waits: ${why}. The API applies it when they have ended.`;
  }
  if (inserted === 'file') {
    return `Catalog version ${version} has the content of CATALOG_FILE.`;
  }
  if (faults.length > 0) {
    const why = 'its document does not fit the built-in content of this release';
    return `Catalog version ${version} stays active: ${why}.${renderWarnings(faults)}`;
  }
  const replaced = isFileReplaced ? ' It replaced the document of CATALOG_FILE.' : '';
  return inserted === 'built-in'
    ? `Catalog version ${version} has the built-in content of this release.${replaced}`
    : `Catalog version ${version} is active.${replaced}`;
}
