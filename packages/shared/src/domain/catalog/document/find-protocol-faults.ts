import { isDeepStrictEqual } from 'node:util';
import { listTaken, type RouteFault, UPSTREAMS, type UpstreamDescription } from '../../upstreams/index.js';
import type { Catalog, CatalogRoute, ProviderInstance } from './catalog.js';
import type { CatalogFault } from './catalog-fault.js';

/** An address or a route, and everything that the rules of its protocol judge it by. */
interface Judged {
  readonly path: string;
  /** Id of the model; null for an address. */
  readonly model: string | null;
  readonly terms: readonly unknown[];
  readonly faults: readonly RouteFault[];
}

/** Returns what the rules of protocols refuse, but for addresses and routes that `before` has in the same words. */
export function findProtocolFaults(catalog: Catalog, before: Catalog | null = null): CatalogFault[] {
  const known = Map.groupBy(before === null ? [] : judge(before), ({ model }) => model);
  return judge(catalog)
    .filter(
      (one) =>
        one.faults.length > 0 &&
        !known.get(one.model)?.some(({ terms }) => isDeepStrictEqual(terms, one.terms)),
    )
    .flatMap(({ path, faults }) =>
      faults.map(({ field, message }) => ({ path: `${path}.${field}`, message })),
    );
}

/** Returns a warning for each address and route that stays in force, and that a rule refuses where it is new or changed. */
export function findKeptFaults(catalog: Catalog): CatalogFault[] {
  return findProtocolFaults(catalog).map(({ path, message }) => ({
    path,
    message: `${message} (stays in force as it was stored; refused where it is new or changed)`,
  }));
}

function judge({ models, instances }: Catalog): Judged[] {
  const addresses = [...instances.values()].map(
    ({ name, protocol, baseUrl, apiPath }): Judged => ({
      path: `providers.${name}`,
      model: null,
      terms: [name, protocol, baseUrl, apiPath],
      faults: checkAddress(protocol, baseUrl),
    }),
  );
  const routes = [...models.values()].flatMap(({ id, routes }) =>
    routes.map((route, index): Judged => {
      const { protocol = route.provider, task = null } = instances.get(route.provider) ?? {};
      return {
        path: `models.${id}.routes.${index}`,
        model: id,
        terms: [route, protocol, task],
        faults: checkRoute(route, protocol, task),
      };
    }),
  );
  return [...addresses, ...routes];
}

function getDescription(protocol: string): UpstreamDescription | null {
  return Object.hasOwn(UPSTREAMS, protocol) ? UPSTREAMS[protocol as keyof typeof UPSTREAMS] : null;
}

function checkAddress(protocol: string, address: string | null): RouteFault[] {
  const message = address === null ? null : (getDescription(protocol)?.checkAddress?.(address) ?? null);
  return message === null ? [] : [{ field: 'base_url', message }];
}

function checkRoute(route: CatalogRoute, protocol: string, task: ProviderInstance['task']): RouteFault[] {
  const known = getDescription(protocol);
  if (known === null) {
    return [];
  }
  return [
    ...(known.checkRoute?.({ ...route, task }) ?? []),
    ...checkRewriting(route.options.prompt_rewriting, known),
    ...checkSent(route, { protocol, sent: known.sends?.({ ...route, task }) ?? null }),
    ...checkResolutions(route, known),
  ];
}

/** Checks the option that lets a vendor rewrite prompts. */
function checkRewriting(given: unknown, { switchesRewriting }: UpstreamDescription): RouteFault[] {
  const field = 'options.prompt_rewriting';
  if (given === undefined || given === false || given === null) {
    return [];
  }
  if (given !== true) {
    return [{ field, message: 'must be true or false' }];
  }
  return switchesRewriting
    ? []
    : [{ field, message: 'this protocol has no field that lets a vendor rewrite prompts' }];
}

/** Reports optional fields that no request of the protocol has a place for. */
function checkSent(
  { accepts }: CatalogRoute,
  { protocol, sent }: { readonly protocol: string; readonly sent: readonly string[] | null },
): RouteFault[] {
  const beyond = sent === null ? [] : listTaken(accepts).filter((name) => !sent.includes(name));
  return beyond.map((name) => ({
    field: `accepts.${name}`,
    message: `a request of the protocol ${protocol} has no place for it; possible: ${sent?.join(', ') || 'none'}`,
  }));
}

/** Reports costs of resolutions that the model has not: their customers would pay for a smaller image. */
function checkResolutions(
  { model, costMicros, sizes, options: { edit_model: other }, types }: CatalogRoute,
  { listResolutions }: UpstreamDescription,
): RouteFault[] {
  if (listResolutions === undefined || Object.keys(sizes).length > 0) {
    return [];
  }
  const called = types.map((type) => (type === 'image_edit' && typeof other === 'string' ? other : model));
  return [...new Set(called)].flatMap((name) => {
    const drawn = listResolutions(name);
    return Object.keys(costMicros)
      .filter((resolution) => !drawn.some((one) => one === resolution))
      .map((resolution) => ({
        field: `cost.${resolution}`,
        message: `there is no ${resolution} of ${name}; possible: ${drawn.join(', ')}, or pixels of your own in sizes`,
      }));
  });
}
