import { Command } from '@commander-js/extra-typings';
import { findWarnings } from '../../operations/catalog/find-warnings.js';
import { rollbackCatalog } from '../../operations/catalog/rollback-catalog.js';
import { listUsableProviders } from '../../operations/provider/list-usable-providers.js';
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
      const usable = listUsableProviders(env);
      const { version, from, catalog } = await rollbackCatalog(db(), { to, actor: 'cli' });
      const warnings = findWarnings(catalog, usable);
      const text = `Version ${version} has the content of version ${to} and follows version ${from}.${renderWarnings(warnings)}`;
      show({ value: { version, from, content_of: to, warnings }, text });
    });
}
