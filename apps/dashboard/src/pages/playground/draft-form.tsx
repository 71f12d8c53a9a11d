import type { PlaygroundView } from '@image-gateway/shared/contract';
import { Dices } from 'lucide-react';
import type { FormEvent, KeyboardEvent } from 'react';
import { ApiError } from '../../api/api-error.js';
import { dollars } from '../../lib/dollars.js';
import { Button } from '../../ui/forms/button.js';
import { CONTROL, Field } from '../../ui/forms/field.js';
import { SelectField } from '../../ui/forms/select-field.js';
import { TextField } from '../../ui/forms/text-field.js';
import { ErrorNotice } from '../../ui/states/error-notice.js';
import { type Draft, getPrice } from './draft.js';
import { InputImages } from './input-images.js';

/** Fields beside which an error of the API can stand; its message begins with the name. */
const FIELDS = [
  'prompt',
  'negative_prompt',
  'model',
  'aspect_ratio',
  'resolution',
  'num_outputs',
  'image_urls',
  'mask',
  'quality',
  'seed',
  'output_format',
] as const;
type FieldName = (typeof FIELDS)[number];

/** The form of the playground. */
export function DraftForm({
  catalog,
  draft,
  onChange,
  onSubmit,
  isSending,
  error,
}: {
  readonly catalog: PlaygroundView;
  readonly draft: Draft;
  readonly onChange: (change: (draft: Draft) => Draft) => void;
  readonly onSubmit: () => void;
  readonly isSending: boolean;
  readonly error: unknown;
}) {
  const { limits, models } = catalog;
  const model = models.find(({ id }) => id === draft.model);
  const counts = Array.from({ length: model?.max_outputs ?? 1 }, (_, index) => String(index + 1));
  const qualities = Object.keys(model?.prices_by_quality[draft.resolution] ?? {});
  const maxSeed = model?.max_seed ?? null;
  const formats = model?.output_formats ?? [];
  const change = (part: Partial<Draft>): void => onChange((now) => ({ ...now, ...part }));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  const pressSubmit = (event: KeyboardEvent<HTMLFormElement>): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.currentTarget.requestSubmit();
    }
  };
  const faulty = findField(error);
  const explain = (name: FieldName): string | null => (faulty === name ? (error as Error).message : null);
  const length = [...draft.prompt].length;
  const isUploading = draft.images.some((image) => image.entry === null && image.error === undefined);
  const isBroken = draft.images.some((image) => image.error !== undefined);
  return (
    <form onSubmit={submit} onKeyDown={pressSubmit} className="grid gap-4">
      <Field
        label={draft.images.length > 0 ? 'What to change' : 'Prompt'}
        hint={`${length.toLocaleString('en')} of ${limits.prompt_characters.toLocaleString('en')} characters`}
        error={explain('prompt')}
      >
        {(control) => (
          <textarea
            {...control}
            name="prompt"
            required
            rows={4}
            placeholder="A red fox in the snow, morning light"
            className={CONTROL}
            value={draft.prompt}
            onChange={(event) => change({ prompt: event.target.value })}
          />
        )}
      </Field>
      {model && model.max_inputs > 0 && (
        <InputImages
          images={draft.images}
          most={model.max_inputs}
          mask={draft.mask}
          hasMasks={model.has_masks}
          error={explain('image_urls') ?? explain('mask')}
          onChange={(edit) =>
            onChange((now) => {
              const images = edit(now.images);
              // A mask belongs to the image that it was painted on.
              return { ...now, images, mask: images[0]?.key === now.images[0]?.key ? now.mask : null };
            })
          }
          onMask={(mask) => change({ mask })}
        />
      )}
      <div className="grid grid-cols-2 gap-4">
        <SelectField
          label="Model"
          value={draft.model}
          hint={model?.family && `Family ${model.family}`}
          error={explain('model')}
          options={models.map(({ id }) => [id, id])}
          onChange={(id) => change({ model: id })}
        />
        <SelectField
          label="Images"
          value={String(draft.count)}
          error={explain('num_outputs')}
          options={counts.map((count) => [count, count])}
          onChange={(count) => change({ count: Number(count) })}
        />
        <SelectField
          label="Shape"
          value={draft.ratio}
          error={explain('aspect_ratio')}
          options={(model?.aspect_ratios ?? []).map((ratio) => [ratio, `${ratio} ${describeShape(ratio)}`])}
          onChange={(ratio) => change({ ratio })}
        />
        <SelectField
          label="Resolution"
          value={draft.resolution}
          error={explain('resolution')}
          options={Object.keys(model?.prices ?? {}).map((resolution) => [resolution, resolution])}
          onChange={(resolution) => change({ resolution })}
        />
        {qualities.length > 0 && (
          <SelectField
            label="Quality"
            value={draft.quality}
            error={explain('quality')}
            options={[['', 'default'], ...qualities.map((quality) => [quality, quality] as const)]}
            onChange={(quality) => change({ quality })}
          />
        )}
        {formats.length > 0 && (
          <SelectField
            label="Format"
            value={draft.format}
            error={explain('output_format')}
            options={[['', 'as it comes'], ...formats.map((format) => [format, format] as const)]}
            onChange={(format) => change({ format })}
          />
        )}
        {maxSeed !== null && (
          <div className="flex items-start gap-2">
            <div className="min-w-0 flex-1">
              <TextField
                label="Seed"
                inputMode="numeric"
                pattern="[0-9]*"
                placeholder="a new one each time"
                error={explain('seed')}
                value={draft.seed}
                onChange={(event) => change({ seed: event.target.value.replace(/\D/g, '') })}
              />
            </div>
            <Button
              className="mt-6.5 px-2.5"
              aria-label="Roll a seed"
              onClick={() => change({ seed: String(Math.floor(Math.random() * (maxSeed + 1))) })}
            >
              <Dices aria-hidden />
            </Button>
          </div>
        )}
      </div>
      <TextField
        label="What to avoid"
        placeholder="text, people"
        maxLength={limits.negative_prompt_characters}
        error={explain('negative_prompt')}
        value={draft.avoid}
        onChange={(event) => change({ avoid: event.target.value })}
      />
      {error !== null && error !== undefined && faulty === null && <ErrorNotice error={error} />}
      <div className="sticky bottom-0 z-10 -mx-5 -mb-5 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-b-2xl border-line border-t bg-surface px-5 py-3 sm:-mx-6 sm:-mb-6 sm:px-6">
        <Button kind="primary" type="submit" disabled={isSending || isUploading || isBroken}>
          {isSending ? 'Sending…' : 'Generate'}
        </Button>
        <p className="figures text-muted text-sm" aria-live="polite">
          {describeState({ isUploading, isBroken }) ??
            `$${(dollars(getPrice(model, draft)) * draft.count).toFixed(4)}, charged for what is delivered`}
        </p>
      </div>
    </form>
  );
}

function describeState({
  isUploading,
  isBroken,
}: {
  readonly isUploading: boolean;
  readonly isBroken: boolean;
}): string | null {
  if (isBroken) {
    return 'Remove the image that could not be uploaded.';
  }
  return isUploading ? 'Images are being uploaded…' : null;
}

/** Returns the field that an error of the API names; null for any other error. */
function findField(error: unknown): FieldName | null {
  if (!(error instanceof ApiError) || error.code !== 'VALIDATION_ERROR') {
    return null;
  }
  const [name] = /^[a-z_]+/.exec(error.message) ?? [];
  return FIELDS.find((field) => field === name) ?? null;
}

function describeShape(ratio: string): string {
  const [width = 1, height = 1] = ratio.split(':').map(Number);
  if (width === height) {
    return 'square';
  }
  return width < height ? 'tall' : 'wide';
}
