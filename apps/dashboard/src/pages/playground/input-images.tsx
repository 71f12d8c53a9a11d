import { Brush, ChevronLeft, ChevronRight, ImagePlus, Upload, X } from 'lucide-react';
import { type DragEvent, useEffect, useId, useRef, useState } from 'react';
import { useSession } from '../../api/use-api.js';
import { cx } from '../../lib/cx.js';
import { Button } from '../../ui/forms/button.js';
import { Field } from '../../ui/forms/fields.js';
import { ResultImage } from '../../ui/result-image.js';
import { type DraftImage, toDraftImage } from './draft.js';
import { findFileFault, IMAGE_TYPES, listImageFiles, uploadImage } from './image-files.js';
import { MaskPainter } from './mask-painter.js';
import { PickResult } from './pick-result.js';

/** The images to edit: dropped, pasted or picked from disk, given by URL, or picked among earlier results. */
export function InputImages({
  images,
  most,
  mask,
  hasMasks,
  error,
  onChange,
  onMask,
}: {
  readonly images: readonly DraftImage[];
  readonly most: number;
  readonly mask: string | null;
  readonly hasMasks: boolean;
  readonly error: string | null;
  readonly onChange: (change: (images: readonly DraftImage[]) => readonly DraftImage[]) => void;
  readonly onMask: (mask: string | null) => void;
}) {
  const fileUrl = useSession().data?.file_url ?? '';
  const [url, setUrl] = useState('');
  const [isPicking, setPicking] = useState(false);
  const [isPainting, setPainting] = useState(false);
  const [isOver, setOver] = useState(false);
  const [dragged, setDragged] = useState<number | null>(null);
  const [said, setSaid] = useState('');
  const [refused, setRefused] = useState<readonly string[]>([]);
  const picker = useRef<HTMLInputElement>(null);
  const headingId = useId();
  const room = most - images.length;
  const [first] = images;

  const add = (...more: DraftImage[]): void => onChange((now) => [...now, ...more].slice(0, most));
  const addUrl = (text: string): void => {
    if (room > 0 && text.trim() !== '') {
      add(toDraftImage(text.trim(), fileUrl));
    }
    setUrl('');
  };
  const addFiles = (files: readonly File[]): void => {
    const faults = files.map((file) => [file, findFileFault(file)] as const);
    const usable = faults.flatMap(([file, fault]) => (fault === null ? [file] : []));
    const taken = usable.slice(0, Math.max(0, room));
    const tooMany = usable.length - taken.length;
    setRefused([
      ...faults.flatMap(([, fault]) => fault ?? []),
      ...(tooMany > 0 ? [`The model takes ${most} images: ${tooMany} left out.`] : []),
    ]);
    for (const file of taken) {
      const key = crypto.randomUUID();
      const update = (part: Partial<DraftImage>): void =>
        onChange((now) => now.map((image) => (image.key === key ? { ...image, ...part } : image)));
      add({ key, entry: null, preview: null, name: file.name || 'pasted image' });
      setSaid(`Uploading ${file.name || 'the pasted image'}`);
      uploadImage(file).then(
        (uploaded) => {
          update(uploaded);
          setSaid(`${file.name || 'The pasted image'} is there`);
        },
        (failed: unknown) =>
          update({ error: failed instanceof Error ? failed.message : 'The upload failed.' }),
      );
    }
  };
  const move = (from: number, to: number): void => {
    onChange((now) => {
      const rest = now.filter((_, index) => index !== from);
      const moved = now[from];
      return moved ? [...rest.slice(0, to), moved, ...rest.slice(to)] : now;
    });
    setSaid(`Image ${from + 1} is now image ${to + 1}`);
  };
  const remove = ({ key }: DraftImage): void => onChange((now) => now.filter((image) => image.key !== key));
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    addFiles(listImageFiles(event.dataTransfer));
  };
  const latest = useRef(addFiles);
  latest.current = addFiles;
  useEffect(() => {
    const paste = (event: ClipboardEvent): void => {
      const files = listImageFiles(event.clipboardData);
      if (files.length > 0) {
        event.preventDefault();
        latest.current(files);
      }
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, []);

  return (
    <section
      aria-labelledby={headingId}
      tabIndex={-1}
      data-wrong={error === null ? undefined : ''}
      className={cx(
        'grid gap-3 rounded-xl border border-line border-dashed p-3 transition',
        isOver && 'border-accent bg-accent-soft',
      )}
      onDragOver={(event) => {
        if (event.dataTransfer.types.includes('Files')) {
          event.preventDefault();
          setOver(true);
        }
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 id={headingId} className="font-medium text-sm">
          Images to edit
          <span className="ml-2 font-normal text-muted">
            {images.length} of {most}
          </span>
        </h2>
        <div className="flex flex-wrap gap-2">
          <Button small disabled={room <= 0} onClick={() => picker.current?.click()}>
            <Upload aria-hidden />
            Choose files
          </Button>
          <Button small disabled={room <= 0} onClick={() => setPicking(true)}>
            <ImagePlus aria-hidden />
            Pick a result
          </Button>
        </div>
      </div>
      <input
        ref={picker}
        type="file"
        aria-label="Files to edit"
        multiple
        hidden
        accept={IMAGE_TYPES}
        onChange={(event) => {
          addFiles([...(event.target.files ?? [])]);
          event.target.value = '';
        }}
      />
      {images.length === 0 ? (
        <p className="text-muted text-sm">
          Drop or paste images here, or choose some. Without one an image is made from the prompt.
        </p>
      ) : (
        <ul className="grid grid-cols-2 gap-3 sm:grid-cols-3" aria-label="Images to edit">
          {images.map((image, index) => (
            <li
              key={image.key}
              draggable
              onDragStart={() => setDragged(index)}
              onDragEnd={() => setDragged(null)}
              onDragOver={(event) => dragged !== null && event.preventDefault()}
              onDrop={(event) => {
                if (dragged !== null) {
                  event.preventDefault();
                  event.stopPropagation();
                  move(dragged, index);
                }
              }}
              className={cx(
                'min-w-0 overflow-hidden rounded-lg border border-line',
                dragged === index && 'opacity-50',
              )}
            >
              <Thumbnail
                image={image}
                number={index + 1}
                onRatio={(ratio) =>
                  onChange((now) => now.map((one) => (one.key === image.key ? { ...one, ratio } : one)))
                }
              />
              <div className="flex items-center justify-between gap-1 p-1">
                <span className="figures pl-1 text-muted text-xs">{index + 1}</span>
                <span className="flex">
                  {(
                    [
                      [
                        `Move image ${index + 1} forward`,
                        ChevronLeft,
                        index === 0,
                        () => move(index, index - 1),
                      ],
                      [
                        `Move image ${index + 1} back`,
                        ChevronRight,
                        index === images.length - 1,
                        () => move(index, index + 1),
                      ],
                      [`Remove image ${index + 1}`, X, false, () => remove(image)],
                    ] as const
                  ).map(([label, Icon, isOff, act]) => (
                    <Button key={label} small kind="quiet" disabled={isOff} aria-label={label} onClick={act}>
                      <Icon aria-hidden />
                    </Button>
                  ))}
                </span>
              </div>
            </li>
          ))}
        </ul>
      )}
      {[...refused, ...(error === null ? [] : [error])].map((text) => (
        <p key={text} role="alert" className="text-[0.8125rem] text-bad [overflow-wrap:anywhere]">
          {text}
        </p>
      ))}
      <span aria-live="polite" className="sr-only">
        {said}
      </span>
      {hasMasks && first?.preview != null && (
        <div className="flex flex-wrap items-center gap-2">
          <Button small onClick={() => setPainting(true)}>
            <Brush aria-hidden />
            {mask === null ? 'Paint a mask' : 'Change the mask'}
          </Button>
          {mask !== null && (
            <Button small kind="quiet" onClick={() => onMask(null)}>
              Remove the mask
            </Button>
          )}
          <span className="text-[0.8125rem] text-muted">
            {mask === null ? 'Only what you paint changes.' : 'What is painted of image 1 changes.'}
          </span>
        </div>
      )}
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-0 flex-1 basis-52">
          <Field
            label="Image by URL"
            type="url"
            placeholder="https://… (optional)"
            readOnly={room <= 0}
            value={url}
            onChange={setUrl}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) {
                return;
              }
              event.preventDefault();
              addUrl(url);
            }}
          />
        </div>
        <Button disabled={room <= 0 || url.trim() === ''} onClick={() => addUrl(url)}>
          Add
        </Button>
      </div>
      <PickResult
        open={isPicking}
        onClose={() => setPicking(false)}
        onPick={(picked) => {
          addUrl(picked);
          setPicking(false);
        }}
      />
      {first?.preview != null && (
        <MaskPainter
          open={isPainting}
          url={first.preview}
          onClose={() => setPainting(false)}
          onDone={(painted) => {
            onMask(painted);
            setPainting(false);
          }}
        />
      )}
    </section>
  );
}

function Thumbnail({
  image,
  number,
  onRatio,
}: {
  readonly image: DraftImage;
  readonly number: number;
  readonly onRatio: (ratio: number) => void;
}) {
  const box = 'grid aspect-4/3 w-full place-items-center bg-sunken p-2 text-center text-muted text-xs';
  if (image.error !== undefined) {
    return (
      <span role="alert" className={cx(box, 'text-bad')}>
        {image.name}: {image.error}
      </span>
    );
  }
  if (image.entry === null) {
    return <span className={cx(box, 'animate-pulse')}>Uploading {image.name}</span>;
  }
  return image.preview === null ? (
    <span className={cx(box, 'break-all')} title={image.name}>
      {image.name.slice(0, 80)}
    </span>
  ) : (
    <ResultImage
      url={image.preview}
      alt={`Image ${number} to edit`}
      className="aspect-4/3 w-full object-contain"
      onSize={({ width, height }) => onRatio(width / height)}
    />
  );
}
