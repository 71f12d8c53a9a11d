import type { PlaygroundView } from '@image-gateway/shared/contract';
import type { FormEvent } from 'react';
import { dollars } from '../../lib/dollars.js';
import { Button } from '../../ui/forms/button.js';
import { CONTROL, Field } from '../../ui/forms/field.js';
import { SelectField } from '../../ui/forms/select-field.js';
import { TextField } from '../../ui/forms/text-field.js';
import { ErrorNotice } from '../../ui/states/error-notice.js';
import type { Draft } from './draft.js';
import { InputImages } from './input-images.js';

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
  readonly onChange: (draft: Draft) => void;
  readonly onSubmit: () => void;
  readonly isSending: boolean;
  readonly error: unknown;
}) {
  const { limits, models } = catalog;
  const model = models.find(({ id }) => id === draft.model);
  const price = model?.prices[draft.resolution] ?? '$0.00';
  const counts = Array.from({ length: model?.max_outputs ?? 1 }, (_, index) => String(index + 1));
  const change = (part: Partial<Draft>): void => onChange({ ...draft, ...part });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSubmit();
  };
  const length = [...draft.prompt].length;
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field
        label={draft.images.length > 0 ? 'What to change' : 'Prompt'}
        hint={`${length.toLocaleString('en')} of ${limits.prompt_characters.toLocaleString('en')} characters`}
      >
        {(control) => (
          <textarea
            {...control}
            name="prompt"
            required
            rows={5}
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
          onChange={(images) => change({ images })}
        />
      )}
      <div className="grid grid-cols-2 gap-4">
        <SelectField
          label="Model"
          value={draft.model}
          hint={model?.family && `Family ${model.family}`}
          options={models.map(({ id }) => [id, id])}
          onChange={(id) => change({ model: id })}
        />
        <SelectField
          label="Images"
          value={String(draft.count)}
          options={counts.map((count) => [count, count])}
          onChange={(count) => change({ count: Number(count) })}
        />
        <SelectField
          label="Shape"
          value={draft.ratio}
          options={(model?.aspect_ratios ?? []).map((ratio) => [ratio, `${ratio} ${describeShape(ratio)}`])}
          onChange={(ratio) => change({ ratio })}
        />
        <SelectField
          label="Resolution"
          value={draft.resolution}
          options={Object.keys(model?.prices ?? {}).map((resolution) => [resolution, resolution])}
          onChange={(resolution) => change({ resolution })}
        />
      </div>
      <TextField
        label="What to avoid"
        placeholder="text, people"
        maxLength={limits.negative_prompt_characters}
        value={draft.avoid}
        onChange={(event) => change({ avoid: event.target.value })}
      />
      {error !== null && error !== undefined && <ErrorNotice error={error} />}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Button kind="primary" type="submit" disabled={isSending}>
          {isSending ? 'Sending…' : 'Generate'}
        </Button>
        <p className="figures text-muted text-sm">
          ${(dollars(price) * draft.count).toFixed(4)}, charged for what is delivered
        </p>
      </div>
    </form>
  );
}

function describeShape(ratio: string): string {
  const [width = 1, height = 1] = ratio.split(':').map(Number);
  if (width === height) {
    return 'square';
  }
  return width < height ? 'tall' : 'wide';
}
