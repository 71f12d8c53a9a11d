import { newId } from '@image-gateway/shared/ids';

/** Keeps an incoming `X-Request-Id` of 1 to 128 characters of `A-Za-z0-9._-`, else makes one. */
export function requestId(incoming: string | readonly string[] | undefined): string {
  return typeof incoming === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(incoming) ? incoming : newId('req');
}
