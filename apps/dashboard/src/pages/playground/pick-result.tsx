import { Images } from 'lucide-react';
import { useGet } from '../../api/use-api.js';
import { Dialog } from '../../ui/forms/dialog.js';
import { ResultImage } from '../../ui/result-image.js';
import { Empty, Load } from '../../ui/states.js';

/** Dialog that picks an earlier image. */
export function PickResult(props: {
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onPick: (url: string) => void;
}) {
  return (
    <Dialog wide open={props.open} onClose={props.onClose} title="Pick a result" note="Your last images.">
      {props.open && <Results onPick={props.onPick} />}
    </Dialog>
  );
}

function Results({ onPick }: { readonly onPick: (url: string) => void }) {
  const query = useGet({ path: '/tasks', query: { status: 'completed', per_page: 24 } });
  return (
    <Load query={query}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon={Images} title="No images yet">
            Generate one first.
          </Empty>
        ) : (
          <ul className="grid max-h-[60dvh] grid-cols-2 gap-3 overflow-y-auto p-1 sm:grid-cols-4">
            {items.flatMap(({ id, prompt, output }) =>
              (output?.urls ?? []).map((url, index) => (
                <li key={url}>
                  <button
                    type="button"
                    onClick={() => onPick(url)}
                    aria-label={`Image ${index + 1} of ${prompt.slice(0, 80) || id}`}
                    className="block w-full overflow-hidden rounded-lg border border-line hover:border-line-strong"
                  >
                    <ResultImage url={url} alt="" className="aspect-video w-full" />
                  </button>
                </li>
              )),
            )}
          </ul>
        )
      }
    </Load>
  );
}
