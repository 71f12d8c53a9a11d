import { createHash } from 'node:crypto';
import type { ProviderInstance } from '@image-gateway/shared/catalog/document';
import type { CallOutcome, CallRow } from '@image-gateway/shared/db';
import type { Provider, Providers } from '../providers/create-providers.js';
import type { Candidate, ImageProvider, ProviderKey } from '../providers/port.js';
import { hasSeed } from './choose-fields.js';
import type { FindRoutes, RoutedTask, TaskRoute } from './find-routes.js';

/** Router from tasks to candidates. */
export interface Router {
  /** Returns the candidates that support a task, in the order of preference; none when no route does. */
  readonly listCandidates: (task: RoutedTask) => Promise<readonly Candidate[]>;
  /** Returns the candidate of an earlier call: its provider, with the key that made it; null when either is no longer configured. */
  readonly findMaker: (call: CallRow) => Candidate | null;
  /** Returns the outcome of a call that was cut before a job of it was saved. One that ends with its connection can be repeated. */
  readonly describeCut: (call: CallRow) => Promise<Pick<CallOutcome, 'state' | 'costMicros'>>;
}

/** Finds the protocol of an instance in the newest catalog version that has it; null for none. */
export type FindInstance = (name: string) => Promise<ProviderInstance | null>;

/** Creates the router; routes of providers that are not configured are left out. */
export function createRouter(
  providers: Providers,
  findRoutes: FindRoutes,
  findInstance: FindInstance,
): Router {
  let turn = 0;
  return {
    listCandidates: async (task) => {
      turn += 1;
      const first = turn;
      const routes = orderByWeight(await findRoutes(task), task.id);
      return routes.flatMap((route) => {
        const found = providers.find(route.provider, route.instance);
        // Keys rotate: each task begins with the next one.
        return (found?.keys ?? []).map((_, index, keys) =>
          toCandidate(route, found as Provider, keys[(index + first) % keys.length] ?? null, task),
        );
      });
    },
    findMaker: (call) => {
      const found = providers.findMaker(call);
      const key = found?.keys.find((each) => (each?.fingerprint ?? null) === call.keyFingerprint);
      return found && key !== undefined ? toMakerCandidate(call, found.provider, key) : null;
    },
    describeCut: async ({ provider: name, costMicros }) => {
      const instance = providers.find(name) ? null : await findInstance(name);
      const { provider } = providers.find(name, instance ?? undefined) ?? {};
      return {
        state: provider?.asynchronous === false ? 'cut' : 'unknown',
        costMicros: provider?.recordsFirst === true ? 0n : costMicros,
      };
    },
  };
}

function toCandidate(
  route: TaskRoute,
  { provider }: Provider,
  key: ProviderKey | null,
  task: RoutedTask,
): Candidate {
  return {
    provider,
    key,
    model: route.model,
    takesResolution: route.takesResolution,
    ...(route.size !== undefined && { size: route.size }),
    ...(route.timeoutMs !== null && { timeoutMs: route.timeoutMs }),
    ...(route.tokenCost !== null && { tokenCost: route.tokenCost }),
    options: route.options,
    terms: route.terms,
    maxImagesPerCall: hasSeed(task, route.terms) ? 1 : route.maxImagesPerCall,
    route: task.model,
    concurrency: route.concurrency,
    providerConcurrency: route.instance?.concurrency ?? null,
    ...(route.instance?.repeatUnknown && { repeatsUnknown: true }),
    listCostMicros: route.listCostMicros,
  };
}

function toMakerCandidate(call: CallRow, provider: ImageProvider, key: ProviderKey | null): Candidate {
  return {
    provider,
    key,
    model: call.model,
    takesResolution: false,
    options: {},
    concurrency: 1,
    maxImagesPerCall: call.slots.length,
    // The call was saved at the list price of its time.
    listCostMicros: call.costMicros / BigInt(Math.max(1, call.slots.length)),
  };
}

/** Shuffles neighbours with a weight by it, in the same way for the same task each time (Efraimidis and Spirakis, 2006). */
function orderByWeight(routes: readonly TaskRoute[], taskId: string): TaskRoute[] {
  const ordered: TaskRoute[] = [];
  let group: TaskRoute[] = [];
  const flush = (): void => {
    const rank = new Map(
      group.map((route) => [
        route,
        hashToFraction(`${taskId} ${route.provider} ${route.model}`) ** (1 / (route.weight ?? 1)),
      ]),
    );
    ordered.push(...group.sort((a, b) => (rank.get(b) ?? 0) - (rank.get(a) ?? 0)));
    group = [];
  };
  for (const route of routes) {
    if (route.weight === null) {
      flush();
    }
    group.push(route);
    if (route.weight === null) {
      flush();
    }
  }
  flush();
  return ordered;
}

function hashToFraction(text: string): number {
  return (createHash('sha256').update(text).digest().readUInt32BE(0) + 1) / (2 ** 32 + 1);
}
