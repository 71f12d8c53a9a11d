import type { TaskDetail } from '@image-gateway/shared/contract';
import { useParams } from '@tanstack/react-router';
import { ApiError } from '../../api/api-error.js';
import { useGet } from '../../api/use-get.js';
import { Card } from '../../ui/card.js';
import { CopyButton } from '../../ui/forms/copy-button.js';
import { Page } from '../../ui/page.js';
import { Load } from '../../ui/states/load.js';
import { Notice } from '../../ui/states/notice.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { NotFound } from '../not-found.js';
import { DeliveryAttempts } from '../webhooks/delivery-attempts.js';
import { TaskDetails } from './task-details.js';
import { TaskImages } from './task-images.js';
import { Timeline } from './timeline.js';

/** One task: images, timeline, request, cost, webhook. */
export function Task() {
  const { id = '' } = useParams({ strict: false });
  const query = useGet(
    { path: '/tasks/:id', params: { id } },
    { everyMs: (task) => (task && isOver(task) ? false : 1_500) },
  );
  if (query.error instanceof ApiError && query.error.status === 404) return <NotFound />;
  return (
    <Page
      title="Task"
      lead={<span className="break-all font-mono text-sm">{id}</span>}
      actions={<CopyButton text={id} label="Copy id" />}
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
      {task.outputs.length > 0 && <TaskImages task={task} />}
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <TaskDetails task={task} />
        <Card title="Course" action={<StatusBadge status={task.status} />}>
          <Timeline task={task} />
        </Card>
      </div>
      {task.webhook_url !== null && (
        <Card title="Webhook" note={<span className="break-all">{task.webhook_url}</span>}>
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

/** Whether nothing is left that could change by itself. */
function isOver({ status, webhook_url, delivery }: TaskDetail): boolean {
  if (status === 'pending') return false;
  return webhook_url === null || delivery?.state === 'delivered' || delivery?.state === 'failed';
}
