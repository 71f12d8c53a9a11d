import type { TaskDetail } from '@image-gateway/shared/task/schema';
import { cx } from '../../lib/cx.js';
import { formatDuration } from '../../lib/figures.js';
import { Time } from '../../ui/time.js';

interface Step {
  readonly name: string;
  readonly at: string | null;
  readonly note?: string;
  readonly bad?: boolean;
}

/** Timeline of a task: its past events with their times, and those still to come. */
export function Timeline({ task }: { readonly task: TaskDetail }) {
  return (
    <ol className="grid gap-0">
      {getSteps(task).map((step, index, all) => (
        <li
          key={`${step.name}${step.at}`}
          className="relative grid grid-cols-[1.25rem_minmax(0,1fr)] gap-3 pb-5 last:pb-0"
        >
          {index < all.length - 1 && (
            <span aria-hidden className="absolute top-4 bottom-0 left-[0.5625rem] w-0.5 bg-line" />
          )}
          <span
            aria-hidden
            className={cx(
              'mt-1.5 ml-1 size-3 rounded-full border-2',
              step.at === null
                ? 'border-line-strong bg-surface'
                : step.bad
                  ? 'border-bad bg-bad'
                  : 'border-accent-bright bg-accent-bright',
            )}
          />
          <div className="text-sm">
            <p className={cx('font-medium', step.at === null && 'text-muted')}>{step.name}</p>
            <p className="text-[0.8125rem] text-muted">
              {step.at === null ? 'not yet' : <Time iso={step.at} full />}
              {step.note !== undefined && ` · ${step.note}`}
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}

function getSteps(task: TaskDetail): readonly Step[] {
  const { created_at, started_at, completed_at, delivery } = task;
  const stored = task.outputs.map(
    ({ index, stored_at }): Step => ({ name: `Image ${index + 1} stored`, at: stored_at }),
  );
  const end: Step =
    task.status === 'failed'
      ? { name: 'Failed', at: completed_at ?? null, note: 'nothing charged', bad: true }
      : {
          name: 'Completed',
          at: completed_at ?? null,
          ...(completed_at && { note: formatDuration(created_at, completed_at) }),
        };
  const sent: Step[] = task.request.webhook_url === undefined ? [] : [webhookStep(delivery)];
  return [
    { name: 'Accepted', at: created_at, note: 'price held' },
    {
      name: 'Started',
      at: started_at ?? null,
      ...(started_at && { note: `after ${formatDuration(created_at, started_at)}` }),
    },
    ...stored,
    end,
    ...sent,
  ];
}

function webhookStep(delivery: TaskDetail['delivery']): Step {
  if (delivery?.state !== 'failed') {
    return { name: 'Webhook delivered', at: delivery?.delivered_at ?? null };
  }
  return { name: 'Webhook given up', at: delivery.attempts[0]?.ended_at ?? delivery.created_at, bad: true };
}
