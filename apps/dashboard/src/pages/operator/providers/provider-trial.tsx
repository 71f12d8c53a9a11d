import type {
  ManagedProvider,
  ProviderCheckResult,
  ProviderCheckView,
} from '@image-gateway/shared/provider/schema';
import { useState } from 'react';
import { useGet, useSend } from '../../../api/use-api.js';
import { formatMoney } from '../../../lib/figures.js';
import { Button } from '../../../ui/forms/button.js';
import { ErrorNotice, Notice } from '../../../ui/states.js';
import { Time } from '../../../ui/time.js';

const POLL_MS = 1_000;

/** Trial of a provider: its keys by a free call, and one image, whose cost is asked for first. */
export function ProviderTrial({
  provider,
  canTry,
}: Readonly<{ provider: ManagedProvider; canTry: boolean }>) {
  const { name, trial, check } = provider;
  const [asks, setAsks] = useState(false);
  const send = useSend('/operator/models/providers/:name/check', ['operator']);
  const start = (cost: string | null): void => {
    setAsks(false);
    send.mutate({ params: { name }, body: { cost } });
  };
  const newest = send.data ?? check;
  return (
    <section className="grid gap-4" aria-label="Trial">
      <h3 className="font-semibold text-sm">Trial</h3>
      {newest && <Outcome key={newest.id} id={newest.id} known={newest} />}
      {send.error && <ErrorNotice error={send.error} />}
      {!canTry && <Notice kind="info">No generation worker runs that could try it.</Notice>}
      {asks && trial ? (
        <Notice
          kind="info"
          action={
            <span className="flex gap-2">
              <Button onClick={() => setAsks(false)}>Cancel</Button>
              <Button kind="primary" onClick={() => start(trial.cost)}>
                Draw for {formatMoney(trial.cost)}
              </Button>
            </span>
          }
        >
          One image of {trial.upstream_model} costs about {formatMoney(trial.cost)}. It is measured and thrown
          away.
        </Notice>
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button disabled={!canTry || send.isPending} onClick={() => start(null)}>
            Test keys
          </Button>
          {trial && (
            <Button disabled={!canTry || send.isPending} onClick={() => setAsks(true)}>
              Draw one image…
            </Button>
          )}
        </div>
      )}
    </section>
  );
}

const hasEnded = (check: ProviderCheckView | undefined): boolean => check?.state === 'done';

/** Polls a trial until it has ended. */
function Outcome({ id, known }: { readonly id: string; readonly known: ProviderCheckView }) {
  const { data, error } = useGet(
    { path: '/operator/models/provider-checks/:id', params: { id } },
    { everyMs: (check) => (hasEnded(check) ? false : POLL_MS) },
  );
  const { result, created_at, draws } = data ?? known;
  if (error && result === null) {
    return <ErrorNotice error={error} />;
  }
  if (result === null) {
    return (
      <Notice kind="info">
        {draws ? 'The image is being drawn; some providers take a minute.' : 'The keys are being tried.'}
      </Notice>
    );
  }
  return (
    <div className="grid gap-2 text-sm">
      <Verdict result={result} />
      <p className="text-muted text-xs">
        Tried <Time iso={created_at} />
      </p>
      {result.missing.length > 0 && (
        <p className="text-bad">Routes name models that are not listed: {result.missing.join(', ')}.</p>
      )}
      {result.models !== null && (
        <details>
          <summary>{result.models.length} models listed by the provider</summary>
          <ul className="mt-2 max-h-48 overflow-y-auto rounded-lg bg-sunken p-3 font-mono text-xs">
            {result.models.map((model) => (
              <li key={model} className="break-all">
                {model}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function Verdict({ result: { keys, image, note } }: { readonly result: ProviderCheckResult }) {
  const isBad = keys.some((key) => key.result === 'refused') || (image !== null && image.reason !== null);
  const took = image && `${(image.ms / 1_000).toFixed(1)} s`;
  const isGood = !isBad && keys.length > 0 && keys.every((key) => key.result === 'accepted');
  return (
    <Notice kind={isBad ? 'bad' : isGood ? 'good' : 'info'}>
      {note !== null && <p>{note}</p>}
      {keys.map(({ fingerprint, last_four, result, status, reason }) => (
        <p key={fingerprint} className="break-words">
          {fingerprint === null ? 'Without a key' : last_four ? `Key …${last_four}` : `Key ${fingerprint}`}:{' '}
          {result}
          {status !== null && ` (${status})`}
          {reason !== null && `. ${reason}`}
        </p>
      ))}
      {image && (
        <p>
          {image.reason === null
            ? `Image of ${image.upstream_model}: ${image.width} × ${image.height}, ${image.content_type}, ${took}`
            : `No image: ${image.reason}`}
          {` (${formatMoney(image.cost)})`}
        </p>
      )}
    </Notice>
  );
}
