import { Command } from '@commander-js/extra-typings';
import { findWarnings } from '../../operations/catalog/find-warnings.js';
import { rollbackCatalog } from '../../operations/catalog/rollback-catalog.js';
import { readProvidersInUse } from '../../operations/provider/read-providers-in-use.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { parseVersion } from './parse-version.js';
import { renderWarnings } from './render-faults.js';

/** Builds `catalog rollback`, which inserts a new version with the content of an earlier one. */
export function buildCatalogRollback({ env, db, show }: CliRun) {
  return new Command('rollback')
    .description('Make a new version with the content of an earlier one')
    .argument('<version>', 'number of the version', parseVersion)
    .addHelpText('after', formatExample('catalog rollback 3'))
    .action(async (to) => {
      const listProviders = readProvidersInUse(env);
      const { version, from, catalog } = await rollbackCatalog(db(), { to, actor: 'cli' });
      const warnings = findWarnings(catalog, listProviders);
      const text = `Version ${version} has the content of version ${to} and follows version ${from}.${renderWarnings(warnings)}`;
      show({ value: { version, from, content_of: to, warnings }, text });
    });
}
