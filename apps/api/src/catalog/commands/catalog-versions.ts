import { defineCommand, flag, option } from '../../cli/define-command.js';
import { readWhole } from '../../cli/read-values.js';
import { renderFields, renderTable } from '../../cli/render.js';
import { rollbackCatalog } from '../rollback-catalog.js';
import { findVersion, listVersions, presentVersion } from '../versions.js';
import { findNotes, renderChanges, renderNotes } from './describe-applied.js';

const MAX_VERSION = 2 ** 31 - 1;

/** Reads the number of a catalog version; throws AppError `VALIDATION_ERROR`. */
export const parseVersion = readWhole(
  'The version must be a positive integer. List the versions with: catalog history',
  [1, MAX_VERSION],
);

/** Option for a change of prices that is large on purpose. */
export const YES = flag('prices may change by a factor of ten or more');

/** Commands `catalog show`, `catalog history` and `catalog rollback`. */
export const commands = {
  show: defineCommand({
    about: 'Show the newest version of the catalog, or an earlier one, with its document',
    options: { version: option('<number>', 'number of the version', parseVersion) },
    run: async ({ db }, { version = null }) => {
      const stored = await findVersion(db(), version);
      const { source, document } = stored;
      const item = presentVersion(stored);
      const content = source === '' ? 'The built-in document, unchanged.' : source.trimEnd();
      return { value: { ...item, source, document }, text: `${renderFields(item)}\n\n${content}` };
    },
  }),
  history: defineCommand({
    about: 'List the versions of the catalog, newest first',
    run: async ({ db }) => {
      const value = (await listVersions(db())).map(presentVersion);
      const rows = value.map(({ digest, ...rest }) => ({ ...rest, digest: digest.slice(0, 12) }));
      return { value, text: renderTable(rows) };
    },
  }),
  rollback: defineCommand({
    about: 'Make a new version with the content of an earlier one',
    args: { version: 'number of the version' },
    options: { yes: YES },
    example: '3',
    run: async (context, { version: given, yes }) => {
      const to = parseVersion(given);
      const rolledBack = await rollbackCatalog(context.db(), { to, actor: 'cli', agreed: yes ? 'all' : [] });
      const { version, from, before, catalog, changes } = rolledBack;
      const notes = await findNotes(context, { before, after: catalog, changes });
      const done = `Version ${version} has the content of version ${to} and follows version ${from}.`;
      return {
        value: { version, from, content_of: to, changes, ...notes },
        text: `${done}${renderChanges(changes)}${renderNotes(notes)}`,
      };
    },
  }),
};
