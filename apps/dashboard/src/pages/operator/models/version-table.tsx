import type { ModelsView } from '@image-gateway/shared/catalog/schema';
import { useState } from 'react';
import { useGet, useSend } from '../../../api/use-api.js';
import { Button } from '../../../ui/forms/button.js';
import { ErrorNotice } from '../../../ui/states.js';
import { TableCard } from '../../../ui/table.js';
import { Time } from '../../../ui/time.js';
import { ImpactDialog } from './impact-dialog.js';
import { NoteList } from './note-list.js';

/** Table of the newest versions of the catalog, with a rollback to each. */
export function VersionTable({ view }: { readonly view: ModelsView }) {
  const rollback = useSend('/operator/models/rollback', ['operator']);
  const [wanted, setWanted] = useState<number | null>(null);
  const close = (): void => setWanted(null);
  return (
    <>
      <TableCard
        title="Versions"
        note="Versions never change. A rollback adds a new one with the content of an earlier one."
        caption="Versions of the catalog"
        rows={view.versions}
        getKey={({ version }) => String(version)}
        columns={[
          { title: 'Version', cell: ({ version }) => <span className="figures">{version}</span> },
          {
            title: 'Origin',
            cell: ({ origin, created_by }) => (
              <>
                {origin}
                {created_by !== null && created_by !== origin && (
                  <span className="block break-all text-muted text-xs">{created_by}</span>
                )}
              </>
            ),
          },
          { title: 'Note', from: 'md', cell: ({ note }) => note ?? '' },
          {
            title: 'When',
            from: 'sm',
            cell: ({ created_at }) =>
              // The first version holds for the time before there were versions.
              created_at.startsWith('1970') ? 'initial version' : <Time iso={created_at} />,
          },
          {
            title: 'Action',
            silent: true,
            align: 'right',
            cell: ({ version }) =>
              version !== view.version && (
                <Button small onClick={() => setWanted(version)}>
                  Roll back<span className="sr-only"> to version {version}</span>
                </Button>
              ),
          },
        ]}
      />
      {wanted !== null && (
        <Rollback
          version={wanted}
          onClose={close}
          action={(retyped) => rollback.mutateAsync({ body: { from: view.version, to: wanted, retyped } })}
        />
      )}
    </>
  );
}

/** Question before a rollback, once its judgment has come. */
function Rollback({
  version,
  onClose,
  action,
}: {
  readonly version: number;
  readonly onClose: () => void;
  readonly action: (retyped: readonly string[]) => Promise<unknown>;
}) {
  const { data, error } = useGet({
    path: '/operator/models/versions/:version',
    params: { version: String(version) },
  });
  return (
    <>
      {error && <ErrorNotice error={error} />}
      <ImpactDialog
        checked={data ?? null}
        title={`Roll back to version ${version}?`}
        verb="Roll back"
        onClose={onClose}
        action={action}
      >
        {data && data.changes.length > 0 && (
          <details className="text-sm">
            <summary>All changes of the document: {data.changes.length}</summary>
            <NoteList notes={data.changes} />
          </details>
        )}
        {data?.changes.length === 0 && <p className="text-sm">No differences.</p>}
      </ImpactDialog>
    </>
  );
}
