import { AppError } from '@image-gateway/shared/errors';
import { findUnstorable } from '@image-gateway/shared/validation';
import type { Schema, ValidationError, ValidationErrorItem } from 'joi';

const MAX_SHOWN_NAME = 100;

/**
 * Validates a JSON body without conversion; no text of it is one that PostgreSQL cannot store. A field that the schema does not
 * have is refused by name: it may be a misspelt limit. Requests that set none may drop it. Throws AppError `VALIDATION_ERROR`
 * with a message for users.
 */
export function readBody<T>(schema: Schema<T>, body: unknown, unknown: 'refused' | 'dropped' = 'refused'): T {
  const { error, value } = schema.validate(body, {
    abortEarly: false,
    convert: false,
    stripUnknown: unknown === 'dropped',
    errors: { wrap: { label: false } },
  });
  if (error || value === undefined) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: error ? describeFault(error) : 'A JSON object is expected.',
    });
  }
  const place = findUnstorable(value);
  if (place !== null) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: `${place} must not contain NUL characters or unpaired surrogates.`,
    });
  }
  return value as T;
}

/** A field that is unknown comes first: without it, a required one is often said to be missing. */
function describeFault({ message, details }: ValidationError): string {
  const unknown = details.find(({ type }) => type === 'object.unknown');
  return unknown
    ? `${formatPath(unknown)} is not a field of this request.`
    : (details[0]?.message ?? message);
}

function formatPath({ path }: ValidationErrorItem): string {
  const text = path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .slice(1);
  return text.length > MAX_SHOWN_NAME ? `${text.slice(0, MAX_SHOWN_NAME)}…` : text;
}
