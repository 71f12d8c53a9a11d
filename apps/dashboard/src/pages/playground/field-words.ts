import type { FormFieldName } from '@image-gateway/shared/contract';

/** Words of a field: its name where that differs from the one in requests, and what its control says while nothing is chosen. */
interface FieldWords {
  readonly label?: string;
  readonly placeholder?: string;
  readonly unchosen?: string;
}

/** Words of the fields of a request, on every page. A field without any needs no entry. */
export const FIELD_WORDS: Readonly<Partial<Record<FormFieldName, FieldWords>>> = {
  negative_prompt: { label: 'What to avoid', placeholder: 'text, people' },
  num_outputs: { label: 'Images' },
  aspect_ratio: { label: 'Shape' },
  seed: { placeholder: 'random' },
  output_format: { label: 'Format', unchosen: 'as it comes' },
  quality: { unchosen: 'as the model does' },
  background: { unchosen: 'as the model does' },
};

/** Names a field on a page. */
export function nameField(name: FormFieldName): string {
  const words = name.replaceAll('_', ' ');
  return FIELD_WORDS[name]?.label ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
