import type { TaskRow } from '@image-gateway/shared/db';
import type { Candidate, ImageProvider } from './port.js';
import { createSandbox } from './sandbox/create-sandbox.js';

/** Knows who can make the images of a task. */
export interface Router {
  /** In the order of preference; empty when nobody can. */
  readonly candidatesFor: (task: Pick<TaskRow, 'model' | 'resolution' | 'type'>) => readonly Candidate[];
}

/** Every provider that is built, by the name that `PROVIDERS` gives it. */
export const PROVIDER_MAKERS = {
  sandbox: createSandbox,
} as const satisfies Readonly<Record<string, () => ImageProvider>>;

/** The name of a provider that is built. */
export type ProviderName = keyof typeof PROVIDER_MAKERS;

/** Makes the router over the named providers, in the order of preference. */
export function createRouter(names: readonly ProviderName[]): Router {
  const providers = names.map((name) => PROVIDER_MAKERS[name]());
  return {
    candidatesFor: ({ model }) =>
      providers.map((provider) => ({ provider, model, key: null, listCostMicros: 0n })),
  };
}
