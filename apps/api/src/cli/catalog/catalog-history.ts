import { Command } from '@commander-js/extra-typings';
import { listVersions } from '../../operations/catalog/list-versions.js';
import { presentVersion } from '../../operations/catalog/present-version.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { renderTable } from '../render-table.js';

/** Builds `catalog history`, which lists the versions of the catalog, newest first. */
export function buildCatalogHistory({ db, show }: CliRun) {
  return new Command('history')
    .description('List the versions of the catalog, newest first')
    .addHelpText('after', formatExample('catalog history'))
    .action(async () => {
      const value = (await listVersions(db())).map(presentVersion);
      const rows = value.map(({ digest, ...rest }) => ({ ...rest, digest: digest.slice(0, 12) }));
      show({ value, text: renderTable(rows) });
    });
}
