import type { JsonRecord } from './http/json-decoder.js';
import type { ProviderRequest, RequestFields } from './port.js';

/**
 * Writes the optional fields of a request under OpenAI's names, which other vendors have taken over. A mask is a file, which
 * each vendor takes in its own way.
 */
export function writeFields({ mask: _mask, ...fields }: RequestFields): JsonRecord {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}

/** Returns the format to ask for. Without a preference it is PNG, or JPEG at 4k, where a PNG can exceed the limit of a response. */
export function getFormat({
  resolution,
  fields,
}: Pick<ProviderRequest, 'resolution' | 'fields'>): 'png' | 'jpeg' | 'webp' {
  // JPEG has no transparency.
  const isLarge = resolution === '4k' && fields.background !== 'transparent';
  return fields.outputFormat ?? (isLarge ? 'jpeg' : 'png');
}
