import { useGet } from '../../api/use-get.js';
import { ResultImage } from '../../ui/result-image.js';

/** Strip of the account's last runs, newest first. */
export function EarlierRuns({
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
  if (runs.length === 0) {
    return null;
  }
  return (
    <nav aria-label="Earlier runs" className="mt-4 border-line border-t pt-4">
      <ul className="flex gap-2 overflow-x-auto p-1">
        {runs.map(({ id, status, prompt, url }) => (
          <li key={id} className="shrink-0">
            <button
              type="button"
              aria-current={id === shownId ? 'true' : undefined}
              title={prompt}
              onClick={() => onShow(id)}
              className="relative block size-16 overflow-hidden rounded-lg border border-line hover:border-line-strong aria-[current]:border-2 aria-[current]:border-ink"
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
