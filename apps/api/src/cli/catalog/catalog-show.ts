import { Command } from '@commander-js/extra-typings';
import { findVersion } from '../../operations/catalog/find-version.js';
import { presentVersion } from '../../operations/catalog/present-version.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderFields } from '../render-fields.js';
import { parseVersion } from './parse-version.js';

/** Builds `catalog show`, which prints a version of the catalog with the document that the operator applied. */
export function buildCatalogShow({ db, show }: CliRun) {
  return new Command('show')
    .description('Show the newest version of the catalog, or an earlier one, with its document')
    .option('--version <number>', 'number of the version', parseVersion)
    .addHelpText('after', formatExample('catalog show'))
    .action(async ({ version = null }) => {
      const stored = await findVersion(db(), version);
      const { source, document } = stored;
      const item = presentVersion(stored);
      const content = source === '' ? 'The built-in document, unchanged.' : source.trimEnd();
      show({ value: { ...item, source, document }, text: `${renderFields(item)}\n\n${content}` });
    });
}
