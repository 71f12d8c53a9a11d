import { AppError } from '@image-gateway/shared/errors';

const MAX_VERSION = 2 ** 31 - 1;

/** Parses the number of a catalog version; throws AppError `VALIDATION_ERROR`. */
export function parseVersion(text: string): number {
  const version = Number(text);
  if (!/^[1-9]\d*$/.test(text) || version > MAX_VERSION) {
    throw new AppError('VALIDATION_ERROR', {
      publicMessage: 'The version must be a positive integer. List the versions with: catalog history',
    });
  }
  return version;
}
