import type { DeliveryItem } from '@image-gateway/shared/webhook/schema';
import { StatusBadge } from '../../ui/badge.js';
import { Time } from '../../ui/time.js';

/** State of a webhook, and the result of each attempt. */
export function DeliveryAttempts({
  delivery,
}: {
  readonly delivery: Pick<DeliveryItem, 'state' | 'attempts' | 'next_attempt_at'>;
}) {
  const { state, attempts, next_attempt_at } = delivery;
  return (
    <div className="grid gap-3 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <StatusBadge status={state} />
        {next_attempt_at !== null && (
          <span className="text-muted">
            next attempt <Time iso={next_attempt_at} />
          </span>
        )}
      </p>
      {attempts.length === 0 ? (
        <p className="text-muted">No attempt has ended yet.</p>
      ) : (
        <ol className="grid gap-1.5" aria-label="Attempts">
          {attempts.map(({ attempt, status, error, ended_at }) => (
            <li key={attempt} className="figures flex flex-wrap gap-x-3 gap-y-0.5">
              <span className="w-6 text-muted">{attempt}.</span>
              <span className={status !== null && status < 300 ? 'text-good' : 'text-bad'}>
                {status === null ? (error ?? 'no response') : `HTTP ${status}`}
              </span>
              <span className="text-muted">
                <Time iso={ended_at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
