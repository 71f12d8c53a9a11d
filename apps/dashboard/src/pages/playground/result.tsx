import type { TaskDetail } from '@image-gateway/shared/contract';
import { Link } from '@tanstack/react-router';
import { ImageIcon, Pencil } from 'lucide-react';
import { useGet } from '../../api/use-get.js';
import { useNow } from '../../lib/use-now.js';
import { Card } from '../../ui/card.js';
import { Button, buttonClass } from '../../ui/forms/button.js';
import { ResultImage } from '../../ui/result-image.js';
import { Empty } from '../../ui/states/empty.js';
import { Load } from '../../ui/states/load.js';
import { Notice } from '../../ui/states/notice.js';
import { StatusBadge } from '../../ui/status-badge.js';

/** Result of the last request, updated as it arrives. */
export function Result({
  taskId,
  onEdit,
}: {
  readonly taskId: string | null;
  readonly onEdit: (url: string) => void;
}) {
  return (
    <Card className="lg:sticky lg:top-6">
      {taskId === null ? (
        <Empty icon={ImageIcon} title="Your image appears here">
          Write a prompt and press Generate. It takes a few seconds.
        </Empty>
      ) : (
        <ResultView taskId={taskId} onEdit={onEdit} />
      )}
    </Card>
  );
}

function ResultView({ taskId, onEdit }: { readonly taskId: string; readonly onEdit: (url: string) => void }) {
  const query = useGet(
    { path: '/tasks/:id', params: { id: taskId } },
    { everyMs: (task) => (task?.id === taskId && task.status !== 'pending' ? false : 700) },
  );
  return (
    <Load query={query}>
      {(task) => (
        <div className="grid gap-4">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <span aria-live="polite" className="flex items-center gap-2.5 text-sm">
              <StatusBadge status={task.status} />
              {task.status === 'completed' && <span className="figures text-muted">{task.cost} charged</span>}
            </span>
            <Link to="/tasks/$id" params={{ id: task.id }} className={buttonClass('quiet', true)}>
              Details
            </Link>
          </div>
          {task.status === 'pending' && <Pending task={task} />}
          {task.status === 'failed' && <Notice kind="bad">{task.error} Nothing was charged.</Notice>}
          <ul className="grid gap-4">
            {task.outputs.map(({ url, index }) => (
              <li key={url} className="overflow-hidden rounded-xl border border-line">
                <a href={url} target="_blank" rel="noreferrer">
                  <ResultImage
                    url={url}
                    alt={`Image ${index + 1}: ${task.prompt.slice(0, 120)}`}
                    className="max-h-[28rem] w-full object-contain"
                  />
                </a>
                <div className="flex justify-end px-2 py-1.5">
                  <Button small kind="quiet" onClick={() => onEdit(url)}>
                    <Pencil aria-hidden />
                    Edit this one
                  </Button>
                </div>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Load>
  );
}

const PHASE_LABELS = { queued: 'Waiting for a worker', running: 'Generating', done: 'Done' };

function Pending({ task }: { readonly task: TaskDetail }) {
  const now = useNow(250);
  const seconds = Math.max(0, (now - Date.parse(task.created_at)) / 1000);
  return (
    <div className="grid aspect-video animate-pulse place-items-center rounded-xl bg-sunken text-muted text-sm">
      <span className="figures">
        {PHASE_LABELS[task.phase]} · {seconds.toFixed(0)} s
      </span>
    </div>
  );
}
