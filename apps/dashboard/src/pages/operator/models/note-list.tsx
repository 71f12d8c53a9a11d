import type { DocumentNote } from '@image-gateway/shared/catalog/schema';

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
