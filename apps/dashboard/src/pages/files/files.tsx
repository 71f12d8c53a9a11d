import type { FileList, PublicFile } from '@image-gateway/shared/file/schema';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { FileImage } from 'lucide-react';
import { useState } from 'react';
import { useGet, useSend } from '../../api/use-api.js';
import { formatBytes } from '../../lib/figures.js';
import { Card } from '../../ui/card.js';
import { ActionForm } from '../../ui/forms/action-form.js';
import { ButtonLink } from '../../ui/forms/button.js';
import { Check } from '../../ui/forms/fields.js';
import { Page } from '../../ui/page.js';
import { Pager } from '../../ui/pager.js';
import { ResultImage } from '../../ui/result-image.js';
import { Empty, Load } from '../../ui/states.js';
import { Stat, Stats, UsedBar } from '../../ui/stats.js';
import { Time } from '../../ui/time.js';

/** Uploaded files of the account, with what they take of its room, and a form that deletes some. */
export function Files() {
  const { page = 1 } = useSearch({ from: '/files' });
  const navigate = useNavigate();
  const query = useGet({ path: '/files', query: { page } });
  return (
    <Page
      title="Files"
      lead="Images that were uploaded to be edited. A file is kept for 24 hours after its last use, and while a pending task names it."
    >
      <Load query={query} rows={8}>
        {(list) => (
          <>
            <Room list={list} />
            <Card flush>
              {list.files.length === 0 ? (
                <NoFiles isLater={page > 1} />
              ) : (
                <DeleteForm key={page} files={list.files} />
              )}
              <Pager
                pagination={list.pagination}
                onPage={(next) => void navigate({ to: '/files', search: next > 1 ? { page: next } : {} })}
              />
            </Card>
          </>
        )}
      </Load>
    </Page>
  );
}

/** Bars of what the files take of what the account may keep. */
function Room({ list: { pagination, bytes, max_files, max_bytes } }: { readonly list: FileList }) {
  const { total } = pagination;
  return (
    <Stats label="Room for files" columns={2}>
      <Stat
        name="Files"
        value={total.toLocaleString('en')}
        note={<UsedBar part={total} whole={max_files} words={`of ${max_files.toLocaleString('en')}`} />}
      />
      <Stat
        name="Together"
        value={formatBytes(bytes)}
        note={<UsedBar part={bytes} whole={max_bytes} words={`of ${formatBytes(max_bytes)}`} />}
      />
    </Stats>
  );
}

function NoFiles({ isLater }: { readonly isLater: boolean }) {
  return (
    <Empty
      icon={FileImage}
      title={isLater ? 'No file on this page' : 'No files'}
      action={
        isLater ? (
          <ButtonLink to="/files">Newest files</ButtonLink>
        ) : (
          <ButtonLink to="/playground">Edit an image</ButtonLink>
        )
      }
    >
      Images that you add in the playground or send to POST /v1/files are here until they are deleted.
    </Empty>
  );
}

/** Files to choose from, and the button that deletes those that are chosen. */
function DeleteForm({ files }: { readonly files: readonly PublicFile[] }) {
  const send = useSend('/files/delete', ['files']);
  const [chosen, setChosen] = useState(0);
  const readIds = (data: FormData): string[] => data.getAll('ids').map(String);
  return (
    <div className="px-5 pb-5 sm:px-6">
      <ActionForm
        action={(_, data) => send.mutateAsync({ body: { ids: readIds(data) } })}
        verb={chosen > 1 ? `Delete ${chosen} files` : 'Delete file'}
        busyVerb="Deleting…"
        kind="danger"
        isReady={chosen > 0}
        done={({ deleted }) => (deleted === 1 ? 'One file is deleted.' : `${deleted} files are deleted.`)}
        onEdit={(data) => setChosen(readIds(data).length)}
        ask={() => ({
          title: chosen > 1 ? `Delete ${chosen} files?` : 'Delete this file?',
          note: 'No request can name it any more. Pending tasks that do keep their copy until they end.',
          verb: 'Delete',
        })}
        onDone={() => setChosen(0)}
      >
        <ul aria-label="Files">
          {files.map((file) => (
            <li key={file.id} className="flex items-center gap-3.5 border-line border-b py-3 last:border-0">
              <Check name="ids" value={file.id} aria-label={`Choose ${file.id}`} />
              <ResultImage
                url={`/dashboard/api/files/${file.id}`}
                alt=""
                className="h-14 w-20 shrink-0 rounded-lg"
              />
              <span className="min-w-0 flex-1">
                <span className="block truncate font-mono text-[0.8125rem]" title={file.id}>
                  {file.id}
                </span>
                <span className="figures block text-[0.8125rem] text-muted">
                  {file.content_type.replace('image/', '').toUpperCase()} · {file.width} × {file.height} ·{' '}
                  {formatBytes(file.bytes)}
                </span>
                <span className="block text-[0.8125rem] text-muted">
                  deleted <Time iso={file.expires_at} />
                </span>
              </span>
              <ButtonLink to="/playground" search={{ image: file.id }} kind="quiet" small>
                Edit
              </ButtonLink>
            </li>
          ))}
        </ul>
      </ActionForm>
    </div>
  );
}
