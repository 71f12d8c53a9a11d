import { Form } from '@base-ui/react/form';
import type { FormFieldName } from '@image-gateway/shared/contract';
import type { FormField, PlaygroundModel } from '@image-gateway/shared/task/schema';
import { Dices } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { ApiError } from '../../api/request.js';
import { cx } from '../../lib/cx.js';
import { tidyMoney, writeDollars } from '../../lib/figures.js';
import { SubmitError } from '../../ui/ask-credit.js';
import { Button } from '../../ui/forms/button.js';
import { Field, type Option } from '../../ui/forms/fields.js';
import { type Draft, getPrice, getValue, listNumbers, listQualities, readRatio } from './draft.js';
import { FIELD_WORDS, nameField } from './field-words.js';
import { InputImages } from './input-images.js';

/** Keys that send the form, as the keyboard of this computer names them. */
const SUBMIT_KEYS = /Mac|iP(hone|ad)/.test(navigator.userAgent) ? '⌘ Enter' : 'Ctrl Enter';

/** Options of models: their names, and their ids where two names are equal. */
export const listModelOptions = (models: readonly PlaygroundModel[]): readonly Option[] =>
  models.map(({ id, name }) => [
    id,
    models.some((other) => other.id !== id && other.name === name) ? `${name} (${id})` : name,
  ]);

/** Text fields stand below the others. */
const isText = ({ type, enum: choices }: FormField): boolean => type === 'string' && choices === undefined;

/** The form of the playground: the fields that its model takes. */
export function DraftForm({
  models,
  model,
  draft,
  onChange,
  onSubmit,
  isSending,
  error,
}: {
  readonly models: readonly PlaygroundModel[];
  readonly model: PlaygroundModel;
  readonly draft: Draft;
  readonly onChange: (change: (draft: Draft) => Draft) => void;
  readonly onSubmit: () => void;
  readonly isSending: boolean;
  readonly error: unknown;
}) {
  const change = (name: FormFieldName, value: string): void =>
    onChange((now) => ({ ...now, fields: { ...now.fields, [name]: value } }));
  const pressSubmit = (event: KeyboardEvent<HTMLFormElement>): void => {
    const isHere = event.currentTarget.contains(event.target as Node);
    if (isHere && event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (!isOff) {
        event.currentTarget.requestSubmit();
      }
    }
  };
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (error) {
      const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-wrong]');
      wrong?.focus({ preventScroll: true });
      wrong?.scrollIntoView({ block: 'center' });
    }
  }, [error]);
  const names = Object.keys(model.fields) as FormFieldName[];
  const faulty = findFaulty(error, ['model', 'image_urls', 'mask', ...names]);
  const explain = (name: string): string | null =>
    faulty === name ? tidyMoney((error as Error).message) : null;
  const prompt = draft.fields.prompt ?? '';
  const most = model.fields.prompt?.maxLength ?? 0;
  const isUploading = draft.images.some((image) => image.entry === null && image.error === undefined);
  const isBroken = draft.images.some((image) => image.error !== undefined);
  const isOff = isSending || isUploading || isBroken;
  const price = `${writeDollars(getPrice(model, draft))}, charged for what is delivered`;
  const state = isBroken
    ? 'Remove the image that could not be uploaded.'
    : isUploading
      ? 'Images are being uploaded…'
      : price;
  const control = (name: FormFieldName) => {
    const field = model.fields[name];
    return (
      field && (
        <FormControl
          key={name}
          name={name}
          field={field}
          value={getValue(model, draft, name)}
          choices={name === 'quality' ? listQualities(model, draft) : undefined}
          error={explain(name)}
          onChange={(value) => change(name, value)}
        />
      )
    );
  };
  const isOther = (name: FormFieldName): boolean => name !== 'prompt';
  return (
    <Form ref={form} onFormSubmit={onSubmit} onKeyDown={pressSubmit} className="grid gap-4">
      <Field
        name="prompt"
        label="Prompt"
        hint={`${[...prompt].length.toLocaleString('en')} of ${most.toLocaleString('en')} characters`}
        error={explain('prompt')}
        required
        rows={4}
        placeholder={
          draft.images.length > 0 ? 'Make it night, with snow' : 'A red fox in the snow, morning light'
        }
        value={prompt}
        onChange={(text) => change('prompt', text)}
      />
      {model.max_inputs > 0 && (
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
          onMask={(mask) => onChange((now) => ({ ...now, mask }))}
        />
      )}
      <div className="grid grid-cols-2 gap-4">
        <Field
          label="Model"
          value={model.id}
          hint={model.family === null ? model.id : `${model.id}, family ${model.family}`}
          error={explain('model')}
          options={listModelOptions(models)}
          onChange={(id) => onChange((now) => ({ ...now, model: id }))}
        />
        {names.filter((name) => isOther(name) && !isText(model.fields[name] as FormField)).map(control)}
      </div>
      {names.filter((name) => isOther(name) && isText(model.fields[name] as FormField)).map(control)}
      <div
        data-bar
        className={cx(
          'sticky bottom-0 z-10 -mx-5 mt-2 -mb-5 flex flex-wrap items-center gap-x-4 gap-y-2',
          'rounded-b-2xl border-line border-t bg-surface px-5 py-3 sm:-mx-6 sm:-mb-6 sm:px-6',
          // Fields below it fade out: nothing looks cut.
          'before:pointer-events-none before:absolute before:inset-x-0 before:-top-6 before:h-6',
          'before:bg-linear-to-t before:from-surface before:to-transparent',
        )}
      >
        {error !== null && error !== undefined && !isSending && (
          <div className="w-full">
            <SubmitError error={error} />
          </div>
        )}
        <Button kind="primary" type="submit" aria-keyshortcuts="Control+Enter Meta+Enter" disabled={isOff}>
          {isSending ? 'Sending…' : 'Generate'}
          <kbd aria-hidden className="hidden font-sans text-xs opacity-70 sm:inline">
            {SUBMIT_KEYS}
          </kbd>
        </Button>
        <p className="figures min-w-0 flex-1 basis-40 text-muted text-sm" aria-live="polite">
          {state}
        </p>
      </div>
    </Form>
  );
}

/** Control of a field, by what its model takes: a choice, a number, or a text. */
function FormControl({
  name,
  field,
  value,
  choices = listNumbers(field) ?? field.enum,
  error,
  onChange,
}: {
  readonly name: FormFieldName;
  readonly field: FormField;
  readonly value: string;
  readonly choices?: readonly string[] | undefined;
  readonly error: string | null;
  readonly onChange: (value: string) => void;
}) {
  const { placeholder, unchosen = 'none' } = FIELD_WORDS[name] ?? {};
  const label = nameField(name);
  if (choices) {
    const options = choices
      .filter((choice) => choice !== 'auto')
      .map(
        (choice) =>
          [choice, name === 'aspect_ratio' ? `${choice} ${describeShape(choice)}` : choice] as const,
      );
    const none = field.default === undefined ? [['', unchosen] as const] : [];
    return options.length === 0 ? null : (
      <Field label={label} value={value} error={error} options={[...none, ...options]} onChange={onChange} />
    );
  }
  const isNumber = field.type === 'integer';
  const { maximum = 0 } = field;
  const text = (
    <Field
      label={label}
      placeholder={placeholder}
      error={error}
      value={value}
      {...(isNumber ? { inputMode: 'numeric', pattern: '[0-9]*' } : { maxLength: field.maxLength })}
      onChange={(typed) => onChange(isNumber ? typed.replace(/\D/g, '') : typed)}
    />
  );
  return isNumber ? (
    <div className="flex items-start gap-2">
      <div className="min-w-0 flex-1">{text}</div>
      <Button
        className="mt-6.5 px-2.5"
        aria-label={`Roll a ${label.toLowerCase()}`}
        onClick={() => onChange(String(Math.floor(Math.random() * (maximum + 1))))}
      >
        <Dices aria-hidden />
      </Button>
    </div>
  ) : (
    text
  );
}

/** Returns the field that an error of the API begins with; null for any other error. */
function findFaulty(error: unknown, names: readonly string[]): string | null {
  if (!(error instanceof ApiError) || error.code !== 'VALIDATION_ERROR') {
    return null;
  }
  const [name] = /^[a-z_]+/.exec(error.message) ?? [];
  return names.find((field) => field === name) ?? null;
}

function describeShape(text: string): string {
  const ratio = readRatio(text);
  if (ratio === 1) {
    return 'square';
  }
  return ratio < 1 ? 'tall' : 'wide';
}
