import { Command } from '@commander-js/extra-typings';
import { formatFault } from '@image-gateway/shared/catalog/document';
import type { CliRun } from '../../cli/cli-context.js';
import { formatExample } from '../../cli/help.js';
import { importRoutes } from '../import-routes.js';
import { readDocument } from './read-document.js';

/** Builds `catalog import-routes`, which converts a ROUTES_FILE of release 0.1.0 into a catalog document. */
export function buildCatalogImportRoutes({ show }: CliRun) {
  return new Command('import-routes')
    .description(
      'Convert a ROUTES_FILE of release 0.1.0 into a catalog document and print it; changes nothing',
    )
    .argument('<file>', 'routing table in JSON')
    .addHelpText('after', formatExample('catalog import-routes routes.json > catalog.yaml'))
    .action(async (file) => {
      const { source, faults } = await importRoutes(await readDocument(file));
      const comments = faults.map((fault) => `# Fix before catalog apply: ${formatFault(fault)}\n`).join('');
      show({ value: { source, faults }, text: `${comments}${source.trimEnd()}` });
    });
}
