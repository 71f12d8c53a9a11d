import { Command } from '@commander-js/extra-typings';
import type { CliRun } from '../../cli/cli-context.js';
import { formatExample } from '../../cli/help.js';
import { applyDocument } from '../apply-document.js';
import { parseVersion } from './catalog-versions.js';
import { findNotes, renderChanges, renderNotes } from './describe-applied.js';
import { readDocument } from './read-document.js';
import { renderFaults } from './render-faults.js';

/** Builds `catalog apply`, which makes a document the newest version of the catalog. */
export function buildCatalogApply(run: CliRun) {
  return new Command('apply')
    .description('Apply a catalog document; it replaces the former one, and every process follows within 5 s')
    .argument('<file>', 'document in YAML or JSON')
    .option('--note <text>', 'note for the history')
    .option(
      '--base <version>',
      'newest version, which you have seen: changes by hand may be taken back',
      parseVersion,
    )
    .option('--replace', 'take changes by hand back, whatever they are')
    .option('--upgraded', 'no process of the former release runs, although a pooler of PostgreSQL hides it')
    .addHelpText('after', formatExample("catalog apply catalog.yaml --note 'new prices'"))
    .action(async (file, { note = null, base: from, replace = false, upgraded = false }) => {
      const source = await readDocument(file);
      const applied = await applyDocument(run.db(), {
        source,
        note,
        actor: 'cli',
        replace,
        upgraded,
        ...(from !== undefined && { from }),
      });
      run.show('faults' in applied ? renderFaults(applied.faults) : await renderApplied(run, applied));
    });
}

/** Renders a version that was applied: what it changes, and what an operator should know of it. */
export async function renderApplied(
  run: Pick<CliRun, 'env' | 'db'>,
  applied: Exclude<Awaited<ReturnType<typeof applyDocument>>, { readonly faults: unknown }>,
) {
  const { version, from, catalog, changes } = applied;
  const notes = await findNotes(run, catalog);
  const text = `Version ${version} follows version ${from}.${renderChanges(changes)}${renderNotes(notes)}`;
  return { value: { version, from, changes, ...notes }, text };
}
