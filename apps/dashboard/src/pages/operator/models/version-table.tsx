import type { ModelsView } from '@image-gateway/shared/catalog/schema';
import { useGet, useSend } from '../../../api/use-api.js';
import { Confirm } from '../../../ui/forms/action-form.js';
import { Load } from '../../../ui/states.js';
import { TableCard } from '../../../ui/table.js';
import { Time } from '../../../ui/time.js';
import { NoteList } from './note-list.js';

/** Table of the newest versions of the catalog, with a rollback to each. */
export function VersionTable({ view }: { readonly view: ModelsView }) {
  const rollback = useSend('/operator/models/rollback', ['operator']);
  return (
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
              <Confirm
                kind="plain"
                trigger="Roll back"
                title={`Roll back to version ${version}?`}
                note="All processes follow within 5 seconds. Open tasks keep the price of their submission."
                verb="Roll back"
                action={() => rollback.mutateAsync({ body: { from: view.version, to: version } })}
              >
                <Changes version={version} />
              </Confirm>
            ),
        },
      ]}
    />
  );
}

function Changes({ version }: { readonly version: number }) {
  const query = useGet({
    path: '/operator/models/versions/:version',
    params: { version: String(version) },
  });
  return (
    <Load query={query} rows={2}>
      {({ changes }) =>
        changes.length === 0 ? <p className="text-sm">No differences.</p> : <NoteList notes={changes} />
      }
    </Load>
  );
}
