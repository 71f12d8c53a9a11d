import type { CheckedDocumentView } from '@image-gateway/shared/catalog/schema';
import { Notice } from '../../../ui/states/notice.js';
import { NoteList } from './note-list.js';

/** Result of a check: what is wrong with a document, or what it changes and what to think of before it is applied. */
export function CheckedDocument({ result }: { readonly result: CheckedDocumentView }) {
  const { faults, warnings, changes } = result;
  if (faults.length > 0) {
    return (
      <Notice kind="bad">
        <p className="font-medium">This document cannot be applied</p>
        <NoteList notes={faults} />
      </Notice>
    );
  }
  return (
    <>
      <Notice kind="info">
        <p className="font-medium">{changes.length === 0 ? 'No differences' : 'Changes'}</p>
        <NoteList notes={changes} />
      </Notice>
      {warnings.length > 0 && (
        <Notice kind="bad">
          <NoteList notes={warnings} />
        </Notice>
      )}
    </>
  );
}
