import type { CliContext, CliResult } from '../../cli/cli-context.js';
import { defineCommand, flag, option } from '../../cli/define-command.js';
import { applyDocument } from '../apply-document.js';
import { parseVersion, YES } from './catalog-versions.js';
import { findNotes, renderChanges, renderNotes } from './describe-applied.js';
import { readDocument } from './read-document.js';
import { renderFaults } from './render-faults.js';

/** Option for an upgrade behind a pooler. */
export const UPGRADED = flag(
  'no process of the former release runs, although a pooler of PostgreSQL hides it',
);

/** Terms on which a document is applied; `catalog check` judges it on the same. */
export const TERMS = {
  base: option(
    '<version>',
    'newest version, which you have seen: changes by hand may be taken back',
    parseVersion,
  ),
  replace: flag('take changes by hand back, whatever they are'),
  yes: YES,
  upgraded: UPGRADED,
};

/** Command `catalog apply`, which makes a document the newest version of the catalog. */
export const commands = {
  apply: defineCommand({
    about: 'Apply a catalog document; it replaces the former one, and every process follows within 5 s',
    args: { file: 'document in YAML or JSON' },
    options: {
      note: option('<text>', 'note for the history'),
      ...TERMS,
    },
    example: "catalog.yaml --note 'new prices'",
    run: async (context, { file, note = null, base: from, yes, ...terms }) => {
      const source = await readDocument(file);
      const agreed = yes ? ('all' as const) : [];
      const document = { source, note, actor: 'cli', agreed, ...terms, ...(from !== undefined && { from }) };
      return renderEdited(context, await applyDocument(context.db(), document));
    },
  }),
};

/** Renders a version that was applied: what it changes, and what an operator should know of it; or the faults of its document. */
export async function renderEdited(
  context: Pick<CliContext, 'env' | 'db'>,
  applied: Awaited<ReturnType<typeof applyDocument>>,
): Promise<CliResult> {
  if ('faults' in applied) {
    return renderFaults(applied.faults);
  }
  const { version, from, before, catalog, changes } = applied;
  const notes = await findNotes(context, { before, after: catalog, changes });
  const text = `Version ${version} follows version ${from}.${renderChanges(changes)}${renderNotes(notes)}`;
  return { value: { version, from, changes, ...notes }, text };
}
