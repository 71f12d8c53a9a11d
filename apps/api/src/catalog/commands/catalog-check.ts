import type { MergedDocument } from '@image-gateway/shared/catalog/document';
import type { CliContext } from '../../cli/cli-context.js';
import { defineCommand } from '../../cli/define-command.js';
import { explainError } from '../../cli/explain-error.js';
import { compareDocuments, type DocumentChange } from '../compare-documents.js';
import { parseInThread } from '../documents/parse-in-thread.js';
import { describeUndone, findUndone } from '../find-undone.js';
import { findVersion, type StoredCatalog } from '../versions.js';
import { findNotes, renderChanges, renderNotes } from './describe-applied.js';
import { readDocument } from './read-document.js';
import { renderFaults } from './render-faults.js';

/** Difference between a document and the newest version, or why there is none. */
type Comparison =
  | {
      readonly changes: readonly DocumentChange[];
      readonly undone: readonly DocumentChange[];
      readonly text: string;
    }
  | { readonly reason: string };

/** Command `catalog check`, which checks a document without applying it. */
export const commands = {
  check: defineCommand({
    about:
      'Check a catalog document and print every fault, or what it would change; exit code 1 where apply would refuse it',
    args: { file: 'document in YAML or JSON' },
    example: 'catalog.yaml',
    run: async (context, { file }) => {
      const newest = await findNewest(context);
      const stored = 'id' in newest ? newest.document : undefined;
      const checked = await parseInThread('checkDocument', await readDocument(file), stored);
      if ('faults' in checked) {
        return renderFaults(checked.faults);
      }
      const compared = await compareWithNewest(context, newest, checked.document);
      const isCompared = 'changes' in compared;
      const notes = await findNotes(context, checked.catalog, { withWorkers: isCompared });
      const models = [...checked.catalog.models.keys()];
      const difference = isCompared ? compared.text : `\nIt was compared with nothing: ${compared.reason}`;
      const isRefused = isCompared && compared.undone.length > 0;
      const judgment = isRefused
        ? 'The document has no fault, and apply refuses it.'
        : 'The document can be applied.';
      return {
        failed: isRefused,
        value: {
          ok: !isRefused,
          models,
          compared: isCompared,
          ...(isCompared && { changes: compared.changes, undone: compared.undone }),
          ...notes,
        },
        text: `${judgment} Models: ${models.join(', ')}${difference}${renderNotes(notes)}`,
      };
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

async function compareWithNewest(
  { db }: Pick<CliContext, 'db'>,
  newest: Awaited<ReturnType<typeof findNewest>>,
  document: MergedDocument,
): Promise<Comparison> {
  if ('reason' in newest) {
    return newest;
  }
  const changes = compareDocuments(newest.document, document);
  const found = await findUndone(db(), document);
  const warning = found.undone.length === 0 ? '' : `\ncatalog apply refuses it: ${describeUndone(found)}`;
  return {
    changes,
    undone: found.undone,
    text: `\nChanges to version ${newest.id}:${renderChanges(changes)}${warning}`,
  };
}
