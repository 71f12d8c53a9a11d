import type { CheckedDocumentView, DocumentNote } from '@image-gateway/shared/catalog/schema';
import { Notice } from '../../../ui/states.js';

/** List of faults, warnings or changes with their paths. */
export function NoteList({ notes }: { readonly notes: readonly DocumentNote[] }) {
  return (
    <ul className="mt-1 grid gap-1 text-sm">
      {notes.map(({ path, message }) => (
        <li key={`${path} ${message}`} className="break-words [overflow-wrap:anywhere]">
          {path !== '' && <code className="font-mono text-[0.8125rem]">{path}: </code>}
          {message}
        </li>
      ))}
    </ul>
  );
}

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
