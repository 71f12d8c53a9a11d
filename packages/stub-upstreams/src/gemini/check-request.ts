import { checkFields, type Violation } from '../core/check-fields.js';
import type { StubResponse } from '../core/stub-response.js';
import { toRecord } from '../core/to-record.js';
import { geminiError } from './gemini-errors.js';
import type { GeminiModel } from './models.js';
import { GENERATE_FIELDS } from './request-fields.js';

/** What Google has against a request; null when it is good. */
export function checkRequest(body: unknown, name: string, model: GeminiModel): StubResponse | null {
  if (body === undefined) return invalid('Invalid JSON payload received. Unexpected token.');
  const [violation] = checkFields(body, GENERATE_FIELDS);
  if (violation !== undefined) return invalid(getText(violation));
  const config = toRecord(toRecord(body).generationConfig);
  const { imageSize } = toRecord(config.imageConfig);
  if (imageSize !== undefined && !model.sizes)
    return invalid(`Image size ${String(imageSize)} is not supported for this model.`);
  if (config.thinkingConfig !== undefined && !model.thinks)
    return invalid('Thinking is not enabled for this model.');
  if (Number(config.candidateCount ?? 1) > 1)
    return invalid('Multiple candidates is not enabled for this model');
  const modalities = config.responseModalities;
  if (Array.isArray(modalities) && !modalities.includes('IMAGE'))
    return invalid(`The model ${name} only makes images.`);
  return null;
}

function invalid(message: string): StubResponse {
  return geminiError(400, 'INVALID_ARGUMENT', message);
}

function getText({ path, fault, value }: Violation): string {
  const name = String(path.at(-1));
  const parent = path.slice(0, -1).join('.');
  if (fault === 'unknown')
    return `Invalid JSON payload received. Unknown name "${name}" at '${parent}': Cannot find field.`;
  if (fault === 'missing') return `* GenerateContentRequest.${path.join('.')}: ${name} is not specified`;
  return `Invalid value at '${path.join('.')}', ${JSON.stringify(value).slice(0, 80)}`;
}
