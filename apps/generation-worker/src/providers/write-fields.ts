import type { JsonRecord } from './http/json-decoder.js';
import type { ProviderRequest, RequestFields } from './port.js';

/** Names of optional fields at OpenAI, which other vendors have taken over. */
const NAMES = {
  quality: 'quality',
  seed: 'seed',
  outputFormat: 'output_format',
  background: 'background',
  outputCompression: 'output_compression',
  moderation: 'moderation',
  inputFidelity: 'input_fidelity',
  style: 'style',
  negativePrompt: 'negative_prompt',
} as const satisfies Readonly<Record<Exclude<keyof RequestFields, 'mask'>, string>>;

/** Writes the optional fields of a request under OpenAI's names; a mask is a file, which each vendor takes in its own way. */
export function writeFields({ mask: _mask, ...fields }: RequestFields): JsonRecord {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [NAMES[name as keyof typeof NAMES], value]),
  );
}

/** Returns the format to ask for. Without a wish it is PNG, or JPEG at 4k, where a PNG can exceed the limit of a response. */
export function getFormat({
  resolution,
  fields,
}: Pick<ProviderRequest, 'resolution' | 'fields'>): 'png' | 'jpeg' | 'webp' {
  // JPEG has no transparency.
  const isLarge = resolution === '4k' && fields.background !== 'transparent';
  return fields.outputFormat ?? (isLarge ? 'jpeg' : 'png');
}
