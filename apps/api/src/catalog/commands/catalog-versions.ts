import { Command } from '@commander-js/extra-typings';
import { AppError } from '@image-gateway/shared/errors';
import type { CliRun } from '../../cli/cli-context.js';
import { formatExample } from '../../cli/help.js';
import { renderFields } from '../../cli/render-fields.js';
import { renderTable } from '../../cli/render-table.js';
import { rollbackCatalog } from '../rollback-catalog.js';
import { findVersion, listVersions, presentVersion } from '../versions.js';
import { findNotes, renderChanges, renderNotes } from './describe-applied.js';

const MAX_VERSION = 2 ** 31 - 1;

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

/** Parses the number of a catalog version; throws AppError `VALIDATION_ERROR`. */
export function parseVersion(text: string): number {
  const version = Number(text);
  if (!/^[1-9]\d*$/.test(text) || version > MAX_VERSION) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: 'The version must be a positive integer. List the versions with: catalog history',
    });
  }
  return version;
}
