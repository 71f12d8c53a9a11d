import type { ModelsView } from '@image-gateway/shared/contract';
import { useGet } from '../../../api/use-get.js';
import { useSend } from '../../../api/use-send.js';
import { Card } from '../../../ui/card.js';
import { Confirm } from '../../../ui/forms/confirm.js';
import { Load } from '../../../ui/states/load.js';
import { Table } from '../../../ui/table.js';
import { Time } from '../../../ui/time.js';
import { NoteList } from './note-list.js';

/** Table of the newest versions of the catalog, with a rollback to each. */
export function VersionTable({ view }: { readonly view: ModelsView }) {
  const rollback = useSend('/operator/models/rollback', ['operator']);
  return (
    <Card title="Versions" note="They are never changed; a rollback makes a new one." flush>
      <Table
        caption="Versions of the catalog"
        rows={view.versions}
        getKey={({ version }) => String(version)}
        columns={[
          { title: 'Version', cell: ({ version }) => <span className="figures">{version}</span> },
          {
            title: 'From',
            cell: ({ origin, created_by }) => (
              <>
                {origin}
                {created_by !== null && (
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
              created_at.startsWith('1970') ? 'from the start' : <Time iso={created_at} />,
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
                  note="Every process follows within five seconds. Open tasks keep the price of their submit."
                  verb="Roll back"
                  onConfirm={() => rollback.mutateAsync({ body: { from: view.version, to: version } })}
                >
                  <Changes version={version} />
                </Confirm>
              ),
          },
        ]}
      />
    </Card>
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
        changes.length === 0 ? <p className="text-sm">Nothing changes.</p> : <NoteList notes={changes} />
      }
    </Load>
  );
}
