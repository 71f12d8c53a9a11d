import { createHash } from 'node:crypto';
import type { CallRow, TaskRow } from '@image-gateway/shared/db';
import type { Route, RoutingTable } from '@image-gateway/shared/upstreams';
import type { Candidate, ImageProvider, ProviderKey } from '../providers/port.js';

/** Knows who can make the images of a task. */
export interface Router {
  /** In the order of preference, without those that can't do what is asked; empty when nobody can. */
  readonly listCandidates: (
    task: Pick<TaskRow, 'id' | 'model' | 'resolution' | 'type' | 'imageUrls'>,
  ) => readonly Candidate[];
  /** Who can be asked about a call that was made: its provider, with the key that made it; null when either is no longer configured. */
  readonly findMaker: (call: CallRow) => Candidate | null;
  /** Whether a call to this provider has ended when its connection has: then one that our side cut can be repeated. */
  readonly isSynchronous: (provider: string) => boolean;
}

/** A provider that is configured, with its keys; `null` is a provider that needs none. */
export interface Provider {
  readonly provider: ImageProvider;
  readonly keys: readonly (ProviderKey | null)[];
}

/** Makes the router over a routing table; routes of providers that are not configured are left out. */
export function createRouter(providers: readonly Provider[], table: RoutingTable): Router {
  const byName = new Map(providers.map((one) => [one.provider.name, one]));
  let turn = 0;
  return {
    listCandidates: (task) => {
      turn += 1;
      const routes = (table[task.model] ?? []).filter(
        (route) => byName.has(route.provider) && can(route, task),
      );
      return orderByWeight(routes, task.id).flatMap((route) => {
        const { provider, keys } = byName.get(route.provider) as Provider;
        // Keys are used in turn: each task begins with the next one.
        return keys.map((_, index) =>
          toCandidate(route, provider, keys[(index + turn) % keys.length] ?? null, task),
        );
      });
    },
    findMaker: (call) => {
      const one = byName.get(call.provider);
      const key = one?.keys.find((each) => (each?.fingerprint ?? null) === call.keyFingerprint);
      return one && key !== undefined ? toMakerCandidate(call, one.provider, key) : null;
    },
    isSynchronous: (provider) => byName.get(provider)?.provider.asynchronous === false,
  };
}

type Asked = Parameters<Router['listCandidates']>[0];

function can({ costMicros, types, maxInputs }: Route, { resolution, type, imageUrls }: Asked): boolean {
  return costMicros[resolution] !== undefined && types.includes(type) && imageUrls.length <= maxInputs;
}

function toCandidate(
  route: Route,
  provider: ImageProvider,
  key: ProviderKey | null,
  { resolution }: Asked,
): Candidate {
  return {
    provider,
    key,
    model: route.model,
    takesResolution: Object.keys(route.costMicros).length > 1,
    options: route.options,
    maxImagesPerCall: route.maxImagesPerCall,
    concurrency: route.concurrency,
    listCostMicros: route.costMicros[resolution] ?? 0n,
  };
}

function toMakerCandidate(call: CallRow, provider: ImageProvider, key: ProviderKey | null): Candidate {
  return {
    ...{ provider, key, model: call.model, takesResolution: false, options: {}, concurrency: 1 },
    maxImagesPerCall: call.slots.length,
    // It was written down at the list price of the day.
    listCostMicros: call.costMicros / BigInt(Math.max(1, call.slots.length)),
  };
}

/** Neighbours with a weight are shuffled by it, the same way for the same task each time (Efraimidis and Spirakis, 2006). */
function orderByWeight(routes: readonly Route[], taskId: string): Route[] {
  const ordered: Route[] = [];
  let group: Route[] = [];
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
    if (route.weight === null) flush();
    group.push(route);
    if (route.weight === null) flush();
  }
  flush();
  return ordered;
}

function hashToFraction(text: string): number {
  return (createHash('sha256').update(text).digest().readUInt32BE(0) + 1) / (2 ** 32 + 1);
}
