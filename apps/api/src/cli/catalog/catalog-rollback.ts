import { Command } from '@commander-js/extra-typings';
import { rollbackCatalog } from '../../operations/catalog/rollback-catalog.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { findNotes, renderChanges, renderNotes } from './describe-applied.js';
import { parseVersion } from './parse-version.js';

/** Builds `catalog rollback`, which inserts a new version with the content of an earlier one. */
export function buildCatalogRollback(run: CliRun) {
  return new Command('rollback')
    .description('Make a new version with the content of an earlier one')
    .argument('<version>', 'number of the version', parseVersion)
    .addHelpText('after', formatExample('catalog rollback 3'))
    .action(async (to) => {
      const { version, from, catalog, changes } = await rollbackCatalog(run.db(), { to, actor: 'cli' });
      const notes = await findNotes(run, catalog);
      const text = `Version ${version} has the content of version ${to} and follows version ${from}.${renderChanges(changes)}${renderNotes(notes)}`;
      run.show({ value: { version, from, content_of: to, changes, ...notes }, text });
    });
}
