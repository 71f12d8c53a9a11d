import type { KeyScope } from '@image-gateway/shared/contract';
import { AppError } from '@image-gateway/shared/errors';
import type { Caller } from '../framework/call.js';

/** Throws AppError `FORBIDDEN`, which names the scope, for a key that has none of these scopes. */
export function requireScope({ scopes }: Pick<Caller, 'scopes'>, wanted: readonly KeyScope[]): void {
  if (!wanted.some((scope) => scopes.includes(scope))) {
    throw new AppError('FORBIDDEN', {
      publicMessage: `This key lacks the scope ${wanted.map((scope) => `"${scope}"`).join(' or ')}.`,
    });
  }
}

/** Returns true for a model that a key may use. */
export function mayUseModel({ models }: Pick<Caller, 'models'>, model: string): boolean {
  return models.length === 0 || models.includes(model);
}

/** Throws AppError `FORBIDDEN` for a model that a key may not use. */
export function requireModel(caller: Pick<Caller, 'models'>, model: string): void {
  if (!mayUseModel(caller, model)) {
    throw new AppError('FORBIDDEN', { publicMessage: `This key may not use the model ${model}.` });
  }
}

/** Returns true for a task that a key may see: one of its own, with the scope `read` any of its account. */
export function maySeeTask(
  { accountId, apiKeyId, scopes }: Caller,
  task: { readonly accountId: string; readonly apiKeyId: string },
): boolean {
  return task.accountId === accountId && (task.apiKeyId === apiKeyId || scopes.includes('read'));
}
