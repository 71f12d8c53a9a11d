import { ImagePlus, X } from 'lucide-react';
import { useState } from 'react';
import { useSession } from '../../api/use-session.js';
import { Button } from '../../ui/forms/button.js';
import { TextField } from '../../ui/forms/text-field.js';
import { ResultImage } from '../../ui/result-image.js';
import { PickResult } from './pick-result.js';

/** The images to edit: given by URL or picked among earlier results. */
export function InputImages({
  images,
  most,
  onChange,
}: {
  readonly images: readonly string[];
  readonly most: number;
  readonly onChange: (images: readonly string[]) => void;
}) {
  const fileUrl = useSession().data?.file_url ?? '';
  const [url, setUrl] = useState('');
  const [isPicking, setPicking] = useState(false);
  const isFull = images.length >= most;
  const add = (more: string): void => {
    if (!isFull && more.trim() !== '') {
      onChange([...images, more.trim()]);
    }
    setUrl('');
  };
  return (
    <div className="grid gap-3">
      {images.length > 0 && (
        <ul className="grid gap-2" aria-label="Images to edit">
          {images.map((image, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same URL may occur twice
            <li key={index} className="flex items-center gap-3 rounded-lg border border-line p-2">
              {image.startsWith(`${fileUrl}/`) && (
                <ResultImage url={image} alt="" className="h-9 w-14 shrink-0 rounded" />
              )}
              <span className="min-w-0 flex-1 truncate text-muted text-sm" title={image}>
                {image}
              </span>
              <Button
                small
                kind="quiet"
                aria-label={`Remove image ${index + 1}`}
                onClick={() => onChange(images.filter((_, other) => other !== index))}
              >
                <X aria-hidden />
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-0 flex-1 basis-52">
          <TextField
            label="Image to edit"
            type="url"
            placeholder="https://… (optional)"
            disabled={isFull}
            value={url}
            onChange={(event) => setUrl(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter') {
                return;
              }
              event.preventDefault();
              add(url);
            }}
          />
        </div>
        <Button disabled={isFull || url.trim() === ''} onClick={() => add(url)}>
          Add
        </Button>
        <Button disabled={isFull} onClick={() => setPicking(true)}>
          <ImagePlus aria-hidden />
          Pick a result
        </Button>
      </div>
      <PickResult
        open={isPicking}
        onClose={() => setPicking(false)}
        onPick={(picked) => {
          add(picked);
          setPicking(false);
        }}
      />
    </div>
  );
}
