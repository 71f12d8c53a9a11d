import { readRequirements } from '@image-gateway/shared/task';
import { ProviderError } from '../providers/failures.js';
import type { RequestFields } from '../providers/port.js';
import type { FieldName, FieldTask } from '../routing/choose-fields.js';
import type { FieldRefusal } from '../routing/create-field-chooser.js';

/** Refusal of a field, and the error that says whether the task can do without it. */
export interface RefusedCall {
  readonly refusal: FieldRefusal;
  readonly error: ProviderError;
}

/** Reads an error that names a field which the call had by its own choice; null for any other one. */
export function toFieldRefusal(thrown: unknown, task: FieldTask, fields: RequestFields): RefusedCall | null {
  if (!(thrown instanceof ProviderError) || thrown.field === null) {
    return null;
  }
  const { field, message, retryAfterMs, upstreamId } = thrown;
  const meant = normalize(field.name);
  const name = (Object.keys(fields) as FieldName[]).find((one) => normalize(one) === meant);
  if (name === undefined) {
    return null;
  }
  // A mask is known by its upload.
  const value = name === 'mask' ? task.mask : fields[name];
  const failure = Object.entries(readRequirements(task)).some(
    ([one, given]) => one === name && given !== null,
  )
    ? 'need-refused'
    : 'wish-refused';
  return {
    refusal: { name, value, isUnknown: field.isUnknown },
    error: new ProviderError(failure, message, { retryAfterMs, upstreamId, cause: thrown }),
  };
}

/** Vendors write names in snake and in camel case, `mask` and `mask_url`. */
function normalize(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z]/g, '')
    .replace(/^mask(image)?(url)?$/, 'mask');
}
