import { type KeyboardEvent, type PointerEvent, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../ui/forms/button.js';
import { Dialog } from '../../ui/forms/dialog.js';

/** Part of a stroke, in fractions of the width of the image. */
interface Dab {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

type Stroke = readonly Dab[];

const STEP = 0.02;
const PAINT = 'rgb(217 119 6)';

/** Dialog in which what is to be drawn anew is painted on an image, with a pointer or with the arrow keys. */
export function MaskPainter(props: {
  readonly open: boolean;
  readonly url: string;
  readonly onClose: () => void;
  readonly onDone: (mask: string) => void;
}) {
  return (
    <Dialog
      wide
      open={props.open}
      onClose={props.onClose}
      title="Paint a mask"
      note="Paint over what shall change. With the keyboard: arrows move the brush, space paints."
    >
      {props.open && <Painter url={props.url} onDone={props.onDone} />}
    </Dialog>
  );
}

function Painter({ url, onDone }: { readonly url: string; readonly onDone: (mask: string) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState<{ readonly width: number; readonly height: number } | null>(null);
  const [strokes, setStrokes] = useState<readonly Stroke[]>([]);
  const [brush, setBrush] = useState(0.06);
  const [cursor, setCursor] = useState<{ readonly x: number; readonly y: number } | null>(null);
  const [isPressed, setPressed] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const rangeId = useId();
  const ratio = size ? size.height / size.width : 1;

  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context || !size) {
      return;
    }
    context.clearRect(0, 0, context.canvas.width, context.canvas.height);
    context.fillStyle = PAINT;
    fillStrokes(context, strokes, context.canvas.width);
    if (cursor) {
      context.beginPath();
      context.arc(
        cursor.x * context.canvas.width,
        cursor.y * context.canvas.width,
        brush * context.canvas.width,
        0,
        2 * Math.PI,
      );
      context.lineWidth = 3;
      context.strokeStyle = '#fff';
      context.stroke();
      context.lineWidth = 1;
      context.strokeStyle = '#000';
      context.stroke();
    }
  }, [strokes, cursor, brush, size]);

  const locate = (event: PointerEvent<HTMLButtonElement>): Dab => {
    const box = event.currentTarget.getBoundingClientRect();
    return {
      x: (event.clientX - box.left) / box.width,
      y: (event.clientY - box.top) / box.width,
      radius: brush,
    };
  };
  const extend = (dab: Dab): void =>
    setStrokes((now) => {
      const last = now.at(-1) ?? [];
      const from = last.at(-1);
      return [...now.slice(0, -1), [...last, ...(from ? fillGap(from, dab) : []), dab]];
    });
  const press = (event: KeyboardEvent): void => {
    const at = cursor ?? { x: 0.5, y: ratio / 2 };
    const steps: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [-STEP, 0],
      ArrowRight: [STEP, 0],
      ArrowUp: [0, -STEP],
      ArrowDown: [0, STEP],
    };
    const step = steps[event.key];
    const isDab = event.key === ' ' || event.key === 'Enter';
    if (!step && !isDab) {
      return;
    }
    event.preventDefault();
    const next = {
      x: Math.min(1, Math.max(0, at.x + (step?.[0] ?? 0))),
      y: Math.min(ratio, Math.max(0, at.y + (step?.[1] ?? 0))),
    };
    setCursor(next);
    if (isDab) {
      setStrokes((now) => [...now, [{ ...next, radius: brush }]]);
    }
  };
  const finish = (): void => {
    try {
      onDone(drawMask(size ?? { width: 1, height: 1 }, strokes));
    } catch {
      setFailure('This browser cannot draw a mask of that size. Choose a smaller image.');
    }
  };

  return (
    <div className="grid gap-4">
      <div className="relative mx-auto w-fit max-w-full overflow-hidden rounded-lg border border-line">
        <img
          src={url}
          alt="To paint on"
          className="block max-h-[60dvh] max-w-full"
          onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
            setSize({ width, height })
          }
        />
        {size && (
          <button
            type="button"
            aria-label="Mask: arrow keys move the brush, space paints"
            className="absolute inset-0 cursor-crosshair touch-none"
            onKeyDown={press}
            onBlur={() => setCursor(null)}
            onPointerDown={(event) => {
              event.currentTarget.setPointerCapture(event.pointerId);
              setPressed(true);
              const dab = locate(event);
              setStrokes((now) => [...now, [dab]]);
            }}
            onPointerMove={(event) => {
              const dab = locate(event);
              setCursor(dab);
              if (isPressed) {
                extend(dab);
              }
            }}
            onPointerUp={() => setPressed(false)}
            onPointerLeave={() => setCursor(null)}
          >
            <canvas
              ref={canvas}
              aria-hidden
              width={800}
              height={Math.round(800 * ratio)}
              className="block size-full opacity-60"
            />
          </button>
        )}
      </div>
      <label htmlFor={rangeId} className="grid gap-1.5 font-medium text-sm">
        Brush
        <input
          id={rangeId}
          type="range"
          min={1}
          max={25}
          value={Math.round(brush * 100)}
          onChange={(event) => setBrush(Number(event.target.value) / 100)}
        />
      </label>
      {failure !== null && (
        <p role="alert" className="text-bad text-sm">
          {failure}
        </p>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button disabled={strokes.length === 0} onClick={() => setStrokes((now) => now.slice(0, -1))}>
          Undo
        </Button>
        <Button disabled={strokes.length === 0} onClick={() => setStrokes([])}>
          Clear
        </Button>
        <Button kind="primary" disabled={strokes.length === 0} onClick={finish}>
          Use this mask
        </Button>
      </div>
    </div>
  );
}

/** Fills the way between two places of the pointer, which it may cross in one event. */
function fillGap(from: Dab, to: Dab): Dab[] {
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  const count = Math.floor(distance / (to.radius / 3));
  return Array.from({ length: count }, (_, index) => {
    const part = (index + 1) / (count + 1);
    return { x: from.x + part * (to.x - from.x), y: from.y + part * (to.y - from.y), radius: to.radius };
  });
}

function fillStrokes(context: CanvasRenderingContext2D, strokes: readonly Stroke[], width: number): void {
  for (const { x, y, radius } of strokes.flat()) {
    context.beginPath();
    context.arc(x * width, y * width, radius * width, 0, 2 * Math.PI);
    context.fill();
  }
}

/**
 * Draws the mask as OpenAI's API has it: as large as the image, and transparent where it is to be drawn anew. Throws where the
 * browser cannot.
 */
function drawMask(
  { width, height }: { readonly width: number; readonly height: number },
  strokes: readonly Stroke[],
): string {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) {
    throw new Error('no canvas');
  }
  context.fillRect(0, 0, width, height);
  context.globalCompositeOperation = 'destination-out';
  fillStrokes(context, strokes, width);
  const url = canvas.toDataURL('image/png');
  if (!url.startsWith('data:image/png')) {
    throw new Error('the canvas is too large');
  }
  return url;
}
