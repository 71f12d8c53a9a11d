import type { TaskDetail } from '@image-gateway/shared/contract';
import { Link } from '@tanstack/react-router';
import { Copy, ImageIcon, Pencil, RotateCw } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { useGet } from '../../api/use-get.js';
import { useNow } from '../../lib/use-now.js';
import { Card } from '../../ui/card.js';
import { Button, buttonClass } from '../../ui/forms/button.js';
import { ResultImage } from '../../ui/result-image.js';
import { Empty } from '../../ui/states/empty.js';
import { Load } from '../../ui/states/load.js';
import { Notice } from '../../ui/states/notice.js';
import { StatusBadge } from '../../ui/status-badge.js';

/** Actions on a result. */
export interface ResultActions {
  /** Sends the request of this result once more. */
  readonly onAgain: (() => void) | null;
  /** Sends it for as many images as the model draws at once, each with a seed of its own. */
  readonly onVariations: (() => void) | null;
  /** Such as `4 variations, $0.0400`. */
  readonly variations: string;
  /** Makes an image the one to edit. */
  readonly onEdit: (url: string) => void;
}

/** Result of a request, updated as it arrives, and those before it. */
export function Result({
  taskId,
  earlier,
  onShow,
  ...actions
}: ResultActions & {
  readonly taskId: string | null;
  /** Ids of the tasks of this session, newest first. */
  readonly earlier: readonly string[];
  readonly onShow: (taskId: string) => void;
}) {
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a phone it is below the form.
    if (taskId !== null && (top.current?.getBoundingClientRect().top ?? 0) > window.innerHeight / 2) {
      top.current?.scrollIntoView({ block: 'start' });
    }
  }, [taskId]);
  return (
    <Card className="lg:sticky lg:top-6">
      <div ref={top} className="scroll-mt-6" />
      {taskId === null ? (
        <Empty icon={ImageIcon} title="Your image appears here">
          Write a prompt and press Generate. It takes a few seconds.
        </Empty>
      ) : (
        <ResultView taskId={taskId} {...actions} />
      )}
      {earlier.length > 1 && (
        <nav aria-label="Results of this session" className="mt-4 border-line border-t pt-4">
          <ul className="flex gap-2 overflow-x-auto p-1">
            {earlier.map((id, index) => (
              <li key={id} className="shrink-0">
                <EarlierResult
                  taskId={id}
                  number={earlier.length - index}
                  isShown={id === taskId}
                  onShow={() => onShow(id)}
                />
              </li>
            ))}
          </ul>
        </nav>
      )}
    </Card>
  );
}

/** Reads a task until it has ended. */
function useTask(taskId: string) {
  return useGet(
    { path: '/tasks/:id', params: { id: taskId } },
    { everyMs: (task) => (task?.id === taskId && task.status !== 'pending' ? false : 700) },
  );
}

function EarlierResult({
  taskId,
  number,
  isShown,
  onShow,
}: {
  readonly taskId: string;
  readonly number: number;
  readonly isShown: boolean;
  readonly onShow: () => void;
}) {
  const task = useTask(taskId).data;
  const [first] = task?.outputs ?? [];
  return (
    <button
      type="button"
      aria-current={isShown ? 'true' : undefined}
      aria-label={`Result ${number}: ${task?.prompt.slice(0, 80) ?? 'loading'}`}
      onClick={onShow}
      className="block size-16 overflow-hidden rounded-lg border border-line hover:border-line-strong aria-[current]:border-ink"
    >
      {first ? (
        <ResultImage url={first.url} alt="" className="size-full" />
      ) : (
        <span className="grid size-full place-items-center bg-sunken text-muted text-xs">
          {task?.status === 'failed' ? 'failed' : '…'}
        </span>
      )}
    </button>
  );
}

function ResultView({
  taskId,
  onAgain,
  onVariations,
  variations,
  onEdit,
}: ResultActions & { readonly taskId: string }) {
  return (
    <Load query={useTask(taskId)}>
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
          {task.status !== 'pending' && onAgain && (
            <div className="flex flex-wrap gap-2">
              <Button small onClick={onAgain}>
                <RotateCw aria-hidden />
                Again
              </Button>
              {onVariations && (
                <Button small onClick={onVariations}>
                  <Copy aria-hidden />
                  {variations}
                </Button>
              )}
            </div>
          )}
        </div>
      )}
    </Load>
  );
}

const PHASE_LABELS = { queued: 'Waiting for a worker', running: 'Generating', done: 'Done' };

function Pending({ task }: { readonly task: TaskDetail }) {
  const now = useNow(250);
  const seconds = Math.max(0, (now - Date.parse(task.created_at)) / 1000);
  const stored = task.outputs.length;
  return (
    <div className="grid aspect-video animate-pulse place-items-center rounded-xl bg-sunken text-muted text-sm">
      <span className="figures">
        {PHASE_LABELS[task.phase]}
        {task.num_outputs > 1 && task.phase === 'running' && ` · ${stored} of ${task.num_outputs}`} ·{' '}
        {seconds.toFixed(0)} s
      </span>
    </div>
  );
}
