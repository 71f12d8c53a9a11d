import { Command } from '@commander-js/extra-typings';
import { parseInThread } from '../../operations/catalog/documents/parse-in-thread.js';
import { findWarnings } from '../../operations/catalog/find-warnings.js';
import { readProvidersInUse } from '../../operations/provider/read-providers-in-use.js';
import type { CliRun } from '../cli-context.js';
import { formatExample } from '../help.js';
import { readDocument } from './read-document.js';
import { renderFaults, renderWarnings } from './render-faults.js';

/** Builds `catalog check`, which checks a document without applying it. */
export function buildCatalogCheck({ env, show }: CliRun) {
  return new Command('check')
    .description('Check a catalog document and print every fault at once; exit code 1 on a fault')
    .argument('<file>', 'document in YAML or JSON')
    .addHelpText('after', formatExample('catalog check catalog.yaml'))
    .action(async (file) => {
      const checked = await parseInThread('checkDocument', await readDocument(file));
      if ('faults' in checked) {
        show(renderFaults(checked.faults));
        return;
      }
      const warnings = findWarnings(checked.catalog, readProvidersInUse(env));
      const models = [...checked.catalog.models.keys()];
      const text = `The document can be applied. Models: ${models.join(', ')}${renderWarnings(warnings)}`;
      show({ value: { ok: true, models, warnings }, text });
    });
}
