import { type Database, loadActiveCatalog } from '@image-gateway/shared/db';
import type { CliContext } from '../../cli/cli-context.js';
import { defineCommand } from '../../cli/define-command.js';
import { explainError } from '../../cli/explain-error.js';
import { compareDocuments } from '../compare-documents.js';
import { parseInThread } from '../documents/parse-in-thread.js';
import { describeUndone, findUndone } from '../find-undone.js';
import { describeLeaps, findLeaps } from '../judge-impact.js';
import { findVersion, type StoredCatalog, VersionConflict } from '../versions.js';
import { readContent, refuseForPrevious } from '../waiting/read-content.js';
import { TERMS } from './catalog-apply.js';
import { findNotes, renderChanges, renderNotes } from './describe-applied.js';
import { readDocument } from './read-document.js';
import { renderFaults } from './render-faults.js';

/** Command `catalog check`, which checks a document without applying it, as apply does on the same terms. */
export const commands = {
  check: defineCommand({
    about:
      'Check a catalog document and print every fault, or what it would change; exit code 1 where apply would refuse it',
    args: { file: 'document in YAML or JSON' },
    options: TERMS,
    example: 'catalog.yaml',
    run: async (context, { file, ...terms }) => {
      const source = await readDocument(file);
      const newest = await findNewest(context);
      return 'reason' in newest
        ? checkAlone(context, { source, reason: newest.reason })
        : compare(context, { source, newest, ...terms });
    },
  }),
};

async function findNewest({
  db,
}: Pick<CliContext, 'db'>): Promise<StoredCatalog | { readonly reason: string }> {
  try {
    return await findVersion(db(), null);
  } catch (error) {
    return { reason: explainError(error).message };
  }
}

/** Checks a document where there is no database to compare it with. */
async function checkAlone(
  context: CliContext,
  { source, reason }: { readonly source: string; readonly reason: string },
) {
  const checked = await parseInThread('checkDocument', source, undefined);
  if ('faults' in checked) {
    return renderFaults(checked.faults);
  }
  const notes = await findNotes(context, { before: null, after: checked.catalog, changes: [] });
  const models = [...checked.catalog.models.keys()];
  const found = `The document has no fault. Models: ${models.join(', ')}`;
  return {
    value: { ok: true, models, compared: false, ...notes },
    text: `${found}\nIt was compared with nothing: ${reason}${renderNotes(notes)}`,
  };
}

async function compare(
  context: CliContext,
  {
    source,
    newest,
    base,
    ...terms
  }: {
    readonly source: string;
    readonly newest: StoredCatalog;
    readonly base: number | undefined;
    readonly replace: boolean;
    readonly yes: boolean;
    readonly upgraded: boolean;
  },
) {
  const db: Pick<Database, 'run'> = context.db();
  const content = await readContent(db, source, terms);
  if ('faults' in content) {
    return renderFaults(content.faults);
  }
  if ('former' in content) {
    throw refuseForPrevious(content.former);
  }
  if (base !== undefined && base !== newest.id) {
    throw new VersionConflict(base, newest.id);
  }
  const { document, catalog } = content;
  const { catalog: before } = await loadActiveCatalog(db);
  const found = await findUndone(db, document);
  const undone = base !== undefined || terms.replace ? [] : found.undone;
  const leaps = terms.yes ? [] : findLeaps({ before, after: catalog });
  const refusals = [
    ...(undone.length > 0 ? [describeUndone(found)] : []),
    ...(leaps.length > 0 ? [describeLeaps(leaps)] : []),
  ];
  const changes = compareDocuments(newest.document, document);
  const notes = await findNotes(context, { before, after: catalog, changes });
  const models = [...catalog.models.keys()];
  const isRefused = refusals.length > 0;
  const judgment = isRefused
    ? 'The document has no fault, and apply refuses it.'
    : 'The document can be applied.';
  return {
    failed: isRefused,
    value: { ok: !isRefused, models, compared: true, changes, undone, refused_because: refusals, ...notes },
    text:
      `${judgment} Models: ${models.join(', ')}\nChanges to version ${newest.id}:${renderChanges(changes)}` +
      `${refusals.map((refusal) => `\ncatalog apply refuses it: ${refusal}`).join('')}${renderNotes(notes)}`,
  };
}
