import type { TaskDetail } from '@image-gateway/shared/task/schema';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Download, Pencil } from 'lucide-react';
import { queryClient } from '../../api/query-client.js';
import { useGet, useSend } from '../../api/use-api.js';
import { cx } from '../../lib/cx.js';
import { formatBytes } from '../../lib/figures.js';
import { StatusBadge } from '../../ui/badge.js';
import { Card } from '../../ui/card.js';
import { Confirm } from '../../ui/forms/action-form.js';
import { ButtonAnchor, ButtonLink } from '../../ui/forms/button.js';
import { CopyButton } from '../../ui/forms/copy-button.js';
import { Page } from '../../ui/page.js';
import { nameFile, ResultImage } from '../../ui/result-image.js';
import { Load, Notice } from '../../ui/states.js';
import { DeliveryAttempts } from '../webhooks/delivery-attempts.js';
import { TaskDetails } from './task-details.js';
import { Timeline } from './timeline.js';

/** One task: images, timeline, request, cost, webhook. */
export function Task() {
  const { id = '' } = useParams({ strict: false });
  const query = useGet(
    { path: '/tasks/:id', params: { id } },
    { everyMs: (task) => (task && isOver(task) ? false : 1_500) },
  );
  const cancel = useSend('/tasks/:id/cancel', ['tasks']);
  const remove = useSend('/tasks/:id/delete', ['overview']);
  const navigate = useNavigate();
  return (
    <Page
      title="Task"
      lead={<span className="break-all font-mono text-sm">{id}</span>}
      actions={
        <>
          {query.data?.status === 'pending' && (
            <Confirm
              trigger="Cancel"
              title="Cancel this task?"
              note="No provider is called any more. Images that running calls still deliver are stored and charged."
              verb="Cancel task"
              action={() => cancel.mutateAsync({ params: { id } })}
            />
          )}
          {query.data && query.data.status !== 'pending' && (
            <Confirm
              trigger="Delete"
              title="Delete this task?"
              note="Its prompt, input URLs and images are erased for good. What it cost stays in usage and balance."
              verb="Delete task"
              action={async () => {
                await remove.mutateAsync({ params: { id } });
                await navigate({ to: '/tasks' });
                await queryClient.invalidateQueries({ queryKey: ['tasks'] });
              }}
            />
          )}
          {query.data && !query.data.is_erased && (
            <ButtonLink to="/playground" search={{ run: id }} small>
              Open in the playground
            </ButtonLink>
          )}
          <CopyButton text={id} label="Copy id" />
        </>
      }
    >
      <Load query={query} rows={8}>
        {(task) => <Content task={task} />}
      </Load>
    </Page>
  );
}

function Content({ task }: { readonly task: TaskDetail }) {
  return (
    <>
      {task.status === 'failed' && <Notice kind="bad">{task.error}</Notice>}
      {task.is_erased && (
        <Notice kind="info">
          Prompt, input URLs and images are erased: the time for which this account keeps them is over.
        </Notice>
      )}
      {task.outputs.length > 0 && !task.is_erased && <TaskImages task={task} />}
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <TaskDetails task={task} />
        <Card title="Course" action={<StatusBadge status={task.status} />}>
          <Timeline task={task} />
        </Card>
      </div>
      {task.request.webhook_url !== undefined && (
        <Card title="Webhook" note={<span className="break-all">{task.request.webhook_url}</span>}>
          {task.delivery === null ? (
            <p className="text-muted text-sm">It is sent when the task has ended.</p>
          ) : (
            <DeliveryAttempts delivery={task.delivery} />
          )}
        </Card>
      )}
    </>
  );
}

/** Returns true when nothing is left that could change by itself. */
function isOver({ status, request, delivery }: TaskDetail): boolean {
  if (status === 'pending') {
    return false;
  }
  return request.webhook_url === undefined || delivery?.state === 'delivered' || delivery?.state === 'failed';
}

/** Images of a task, large, each with its size and actions. */
function TaskImages({ task }: { readonly task: TaskDetail }) {
  return (
    <ul className={cx('grid gap-5', task.outputs.length > 1 && 'sm:grid-cols-2')} aria-label="Images">
      {task.outputs.map((output) => (
        <li key={output.index} className="overflow-hidden rounded-2xl border border-line bg-surface">
          <a href={output.url} target="_blank" rel="noreferrer" className="block bg-sunken">
            <ResultImage
              url={output.url}
              alt={`Image ${output.index + 1}: ${task.prompt.slice(0, 120)}`}
              className={cx(
                'mx-auto w-full object-contain',
                task.outputs.length === 1 ? 'max-h-[34rem]' : 'max-h-80',
              )}
            />
          </a>
          <div className="flex flex-wrap items-center justify-between gap-2 px-4 py-3">
            <span className="figures text-muted text-sm">
              {output.width} × {output.height} · {formatBytes(output.bytes)} ·{' '}
              {output.content_type.replace('image/', '').toUpperCase()}
            </span>
            <span className="flex gap-1.5">
              <ButtonLink to="/playground" search={{ image: output.url }} kind="quiet" small>
                <Pencil aria-hidden />
                Edit
              </ButtonLink>
              <ButtonAnchor href={output.url} download={nameFile(output.url)} kind="quiet" small>
                <Download aria-hidden />
                Download
              </ButtonAnchor>
            </span>
          </div>
        </li>
      ))}
    </ul>
  );
}
