import { Command } from '@commander-js/extra-typings';
import { applyDocument } from '../../operations/catalog/apply-document.js';
import { findWarnings } from '../../operations/catalog/find-warnings.js';
import { readProvidersInUse } from '../../operations/provider/read-providers-in-use.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { readDocument } from './read-document.js';
import { renderFaults, renderWarnings } from './render-faults.js';

/** Builds `catalog apply`, which makes a document the newest version of the catalog. */
export function buildCatalogApply({ env, db, show }: CliRun) {
  return new Command('apply')
    .description('Apply a catalog document; it replaces the former one, and every process follows within 5 s')
    .argument('<file>', 'document in YAML or JSON')
    .option('--note <text>', 'note for the history')
    .option('--upgraded', 'no process of the former release runs, although a pooler of PostgreSQL hides it')
    .addHelpText('after', formatExample("catalog apply catalog.yaml --note 'new prices'"))
    .action(async (file, { note = null, upgraded = false }) => {
      const source = await readDocument(file);
      const listProviders = readProvidersInUse(env);
      const applied = await applyDocument(db(), { source, note, actor: 'cli', upgraded });
      if ('faults' in applied) {
        show(renderFaults(applied.faults));
        return;
      }
      const { version, from, catalog } = applied;
      const warnings = findWarnings(catalog, listProviders);
      const text = `Version ${version} follows version ${from}.${renderWarnings(warnings)}`;
      show({ value: { version, from, warnings }, text });
    });
}
