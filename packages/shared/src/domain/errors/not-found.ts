import { AppError } from './app-error.js';

type Kind =
  | 'endpoint'
  | 'account'
  | 'operator'
  | 'task'
  | 'API key'
  | 'webhook'
  | 'model'
  | 'catalog version';

/** Returns the `NOT_FOUND` error for an id that leads to nothing, or to nothing that the caller may see. */
export function notFound(kind: Kind, id: string): AppError {
  return new AppError('NOT_FOUND', { publicMessage: `There is no ${kind} ${id}.` });
}
