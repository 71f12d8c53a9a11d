import type { TaskDetail } from '@image-gateway/shared/task/schema';
import { Copy, Download, ImageIcon, Pencil, RotateCw, Undo2, X } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/request.js';
import { useGet, useSend } from '../../api/use-api.js';
import { cx } from '../../lib/cx.js';
import { formatDuration, formatMoney } from '../../lib/figures.js';
import { useNow } from '../../lib/use-now.js';
import { StatusBadge } from '../../ui/badge.js';
import { Card } from '../../ui/card.js';
import { Button, ButtonAnchor, ButtonLink } from '../../ui/forms/button.js';
import { CopyButton } from '../../ui/forms/copy-button.js';
import { nameFile, ResultImage } from '../../ui/result-image.js';
import { Empty, ErrorNotice, Load, Notice } from '../../ui/states.js';

/** Actions on a run. */
export interface RunActions {
  /** Sends its request once more; null where that cannot be done. */
  readonly onAgain: (() => void) | null;
  /** Sends it for as many images as the model draws at once, each with a seed of its own. */
  readonly onVariations: (() => void) | null;
  /** True while a request is under way. */
  readonly isSending: boolean;
  /** Such as `4 variations, $0.04`. */
  readonly variations: string;
  /** Puts its request into the form. */
  readonly onFill: () => void;
  /** Makes an image the one to edit. */
  readonly onEdit: (url: string) => void;
}

/** The run of the address, updated as its images arrive, and those before it. */
export function Result({
  taskId,
  onShow,
  notice,
  actions,
}: {
  readonly taskId: string | null;
  readonly onShow: (taskId: string) => void;
  /** Says what came of an action. */
  readonly notice: ReactNode;
  readonly actions: (task: TaskDetail) => RunActions;
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
        <Run taskId={taskId} actions={actions} />
      )}
      {notice && <div className="mt-4 grid gap-3">{notice}</div>}
      <EarlierRuns shownId={taskId} onShow={onShow} />
    </Card>
  );
}

function Run({ taskId, actions }: Readonly<{ taskId: string; actions: (task: TaskDetail) => RunActions }>) {
  const query = useGet(
    { path: '/tasks/:id', params: { id: taskId } },
    { everyMs: (task) => (task?.id === taskId && task.status !== 'pending' ? false : 700) },
  );
  if (query.error instanceof ApiError && query.error.status === 404) {
    return <Notice kind="info">There is no such run.</Notice>;
  }
  // Until the run is there, the one before it is shown nowhere.
  return (
    <Load query={query}>
      {(task) => (task.id === taskId ? <RunView task={task} {...actions(task)} /> : null)}
    </Load>
  );
}

function RunView({
  task,
  onAgain,
  onVariations,
  isSending,
  variations,
  onFill,
  onEdit,
}: RunActions & { readonly task: TaskDetail }) {
  const isGrid = task.outputs.length > 1;
  const isOver = task.status !== 'pending' && !task.is_erased;
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span aria-live="polite" className="flex items-center gap-2.5 text-sm">
          <StatusBadge status={task.status} />
          {task.completed_at && task.status === 'completed' && (
            <span className="figures text-muted">
              {formatMoney(task.cost)} charged, {formatDuration(task.created_at, task.completed_at)}
            </span>
          )}
        </span>
        <ButtonLink to="/tasks/$id" params={{ id: task.id }} kind="quiet" small>
          Details
        </ButtonLink>
      </div>
      {task.status === 'pending' && <Pending task={task} />}
      {task.status === 'failed' && <Notice kind="bad">{task.error} Nothing was charged.</Notice>}
      {task.outputs.length > 0 && (
        <ul className={cx('grid gap-4', isGrid && 'grid-cols-2')}>
          {task.outputs.map(({ url, index }) => (
            <li key={url} className="min-w-0 overflow-hidden rounded-xl border border-line">
              <a href={url} target="_blank" rel="noreferrer">
                <ResultImage
                  url={url}
                  alt={`Image ${index + 1}: ${task.prompt.slice(0, 120)}`}
                  className="max-h-[28rem] w-full object-contain"
                />
              </a>
              <div className="flex flex-wrap justify-end gap-1 px-2 py-1.5">
                <Button
                  small
                  kind="quiet"
                  aria-label={isGrid ? `Edit image ${index + 1}` : undefined}
                  onClick={() => onEdit(url)}
                >
                  <Pencil aria-hidden />
                  {isGrid ? 'Edit' : 'Edit this one'}
                </Button>
                <CopyButton kind="quiet" text={url} label={`Copy the address of image ${index + 1}`} isIcon />
                <ButtonAnchor
                  href={url}
                  download={nameFile(url)}
                  aria-label={`Download image ${index + 1}`}
                  title="Download"
                  kind="quiet"
                  small
                >
                  <Download aria-hidden />
                </ButtonAnchor>
              </div>
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap gap-2">
        {task.status === 'pending' && <Cancel task={task} />}
        {onAgain && isOver && (
          <Button small disabled={isSending} onClick={onAgain}>
            <RotateCw aria-hidden />
            Again
          </Button>
        )}
        {onVariations && isOver && (
          <Button small disabled={isSending} onClick={onVariations}>
            <Copy aria-hidden />
            {variations}
          </Button>
        )}
        {!task.is_erased && (
          <Button small kind="quiet" onClick={onFill}>
            <Undo2 aria-hidden />
            Back into the form
          </Button>
        )}
      </div>
    </div>
  );
}

function Pending({ task }: { readonly task: TaskDetail }) {
  const now = useNow(250);
  const seconds = Math.max(0, (now - Date.parse(task.created_at)) / 1000);
  return (
    <div className="relative grid aspect-video place-items-center p-4 text-center text-sm">
      <span aria-hidden className="absolute inset-0 animate-pulse rounded-xl bg-sunken" />
      <span className="figures relative">
        {describeWait(task, now)} · {seconds.toFixed(0)} s
      </span>
    </div>
  );
}

function Cancel({ task: { id, is_canceling: isCanceling } }: { readonly task: TaskDetail }) {
  const cancel = useSend('/tasks/:id/cancel', ['tasks', 'runs']);
  return (
    <>
      {cancel.error && (
        <div className="w-full">
          <ErrorNotice error={cancel.error} />
        </div>
      )}
      <Button
        small
        disabled={cancel.isPending || isCanceling}
        onClick={() => cancel.mutate({ params: { id } })}
      >
        <X aria-hidden />
        Cancel
      </Button>
    </>
  );
}

/** Says what a pending task is waiting for. */
function describeWait({ wait, num_outputs, stored, is_canceling }: TaskDetail, now: number): string {
  if (is_canceling) {
    return 'Canceling: what the provider still delivers is charged';
  }
  if (wait === null) {
    return num_outputs > 1 ? `Generating, ${stored} of ${num_outputs} done` : 'Generating';
  }
  if (wait.reason === 'worker' || wait.next_try_at === null) {
    return 'Waiting for a worker';
  }
  if (wait.reason === 'provider-works') {
    return 'The provider is drawing';
  }
  const seconds = Math.max(0, Math.ceil((Date.parse(wait.next_try_at) - now) / 1000));
  const next = `next try in ${seconds} s`;
  return wait.reason === 'provider-failed'
    ? `The provider failed; ${next}, ${wait.next_try} of ${wait.max_tries}`
    : `The providers are busy; ${next}`;
}

/** Strip of the account's last runs, newest first. */
function EarlierRuns({
  shownId,
  onShow,
}: {
  readonly shownId: string | null;
  readonly onShow: (taskId: string) => void;
}) {
  const runs =
    useGet(
      { path: '/runs' },
      { everyMs: (list) => (list?.some(({ status }) => status === 'pending') ? 1_500 : false) },
    ).data ?? [];
  const list = useRef<HTMLUListElement>(null);
  const [more, setMore] = useState({ before: false, after: false });
  const look = (): void => {
    const { scrollLeft = 0, scrollWidth = 0, clientWidth = 0 } = list.current ?? {};
    setMore({ before: scrollLeft > 4, after: scrollLeft + clientWidth < scrollWidth - 4 });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the strip is as long as there are runs
  useEffect(() => {
    look();
    window.addEventListener('resize', look);
    return () => window.removeEventListener('resize', look);
  }, [runs.length]);
  if (runs.length === 0) {
    return null;
  }
  return (
    <nav aria-label="Earlier runs" className="mt-4 border-line border-t pt-4">
      <ul
        ref={list}
        onScroll={look}
        // An end that fades says that there is more.
        className={cx(
          'flex gap-2 overflow-x-auto p-1',
          more.before && 'mask-l-from-[calc(100%-2.5rem)]',
          more.after && 'mask-r-from-[calc(100%-2.5rem)]',
        )}
      >
        {runs.map(({ id, status, prompt, url }) => (
          <li key={id} className="shrink-0">
            <button
              type="button"
              aria-current={id === shownId ? 'true' : undefined}
              title={prompt}
              onClick={() => onShow(id)}
              className={cx(
                'relative block size-16 overflow-hidden rounded-lg border border-line hover:border-line-strong',
                'aria-[current]:border-2 aria-[current]:border-ink',
              )}
            >
              <span className="sr-only">Show: {prompt}</span>
              {url === null ? (
                <span className="grid size-full place-items-center bg-sunken text-muted text-xs">
                  {status === 'failed' ? 'failed' : '…'}
                </span>
              ) : (
                <ResultImage key={url} url={url} alt="" className="size-full" />
              )}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
