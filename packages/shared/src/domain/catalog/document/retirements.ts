import type { ModelEnd, Protocol } from '../../upstreams/index.js';
import type { Catalog, CatalogRoute, Retirement } from './catalog.js';
import type { CatalogFault } from './catalog-fault.js';
import type { RouteEntry } from './document-schema.js';

type Ends = Readonly<Record<string, Retirement>>;

// Imagen ended at both APIs of Google (firebase.google.com/docs/ai-logic/imagen-models-migration, with what takes its place today).
const IMAGEN_ENDS: Ends = {
  'imagen-4.0-fast-generate-001': { on: '2026-08-17', successor: 'gemini-nano-banana-2.1' },
  'imagen-4.0-generate-001': { on: '2026-08-17', successor: 'gemini-nano-banana-2.1' },
  'imagen-4.0-ultra-generate-001': { on: '2026-08-17', successor: 'gemini-3-pro-image' },
};
const GEMINI_ENDS: Ends = {
  ...IMAGEN_ENDS,
  // ai.google.dev/gemini-api/docs/deprecations (November 2026).
  'gemini-2.5-flash-image': { on: '2027-03-15', successor: 'gemini-nano-banana-2.1' },
  'gemini-3.1-flash-image': { on: '2026-10-29', successor: 'gemini-nano-banana-2.1' },
  'gemini-3.1-flash-image-preview': { on: '2026-06-25', successor: 'gemini-nano-banana-2.1' },
  'gemini-3-pro-image-preview': { on: '2026-06-25', successor: 'gemini-3-pro-image' },
};
const OPENAI_ENDS: Ends = {
  // developers.openai.com/api/docs/deprecations (November 2026). It recommends either model of 2.6 for each of the last five.
  'dall-e-2': { on: '2026-05-12', successor: 'gpt-image-2' },
  'dall-e-3': { on: '2026-05-12', successor: 'gpt-image-2' },
  'gpt-image-1': { on: '2026-10-23', successor: 'gpt-image-2.6-sunburst' },
  'gpt-image-1-mini': { on: '2026-12-01', successor: 'gpt-image-2.6-flare' },
  'gpt-image-1.5': { on: '2026-12-01', successor: 'gpt-image-2.6-flare' },
  'gpt-image-1.5-2025-12-16': { on: '2026-12-01', successor: 'gpt-image-2.6-flare' },
  'chatgpt-image-latest': { on: '2026-12-01', successor: 'gpt-image-2.6-sunburst' },
};
const AZURE_ENDS: Ends = {
  // learn.microsoft.com, "Model retirement schedule" of Foundry (September 2026), which names no replacement. Holds for
  // deployments named like their model.
  'gpt-image-1': { on: '2026-10-23', successor: null },
  'gpt-image-1-mini': { on: '2027-04-07', successor: null },
  'gpt-image-1.5': { on: '2027-06-16', successor: null },
  'gpt-image-2': { on: '2027-10-21', successor: null },
};

/** Last days of upstream models that their vendors have announced, with what takes their place. Refreshed with each release. */
const RETIREMENTS: Readonly<Partial<Record<Protocol, Ends>>> = {
  'azure-openai': AZURE_ENDS,
  gemini: GEMINI_ENDS,
  openai: OPENAI_ENDS,
  // docs.cloud.google.com, Vertex AI: it keeps models of Gemini longer.
  vertex: {
    ...IMAGEN_ENDS,
    'gemini-3.1-flash-image': { on: '2027-05-28', successor: 'gemini-nano-banana-2.1' },
  },
};
const WARNING_DAYS = 30;
const LAST_WARNING_DAYS = 7;
const DAY_MS = 24 * 60 * 60_000;

/** Returns when the upstream model of a route ends: as its document says, else as its vendor has announced; null for no known end. */
export function readRetirement(
  { model, retires }: Pick<RouteEntry, 'model' | 'retires'>,
  protocol: Protocol | undefined,
): Retirement | null {
  const known = protocol && RETIREMENTS[protocol];
  const announced = known && Object.hasOwn(known, model) ? known[model] : undefined;
  return retires === undefined
    ? (announced ?? null)
    : { on: retires, successor: announced?.successor ?? null, isOwn: true };
}

/** End of a model as the list of a provider states it. */
export interface StatedEnd extends ModelEnd {
  readonly provider: string;
}

/** Returns the models with the ends that the lists of their providers state, which count more than the built-in ones. */
export function withStatedEnds(models: Catalog['models'], stated: readonly StatedEnd[]): Catalog['models'] {
  const ends = new Map(stated.map(({ provider, model, on }) => [`${provider} ${model}`, on]));
  return new Map(
    [...models].map(([id, model]) => {
      const routes = model.routes.map((route) => {
        const on = ends.get(`${route.provider} ${route.model}`);
        return on === undefined || route.retires?.isOwn
          ? route
          : { ...route, retires: { on, successor: route.retires?.successor ?? null } };
      });
      return [id, { ...model, routes }];
    }),
  );
}

/** Returns true for a route whose upstream model has ended: it is asked last, since vendors may keep it longer. */
export function hasRetired({ retires }: Pick<CatalogRoute, 'retires'>, nowMs = Date.now()): boolean {
  return retires !== null && retires.on <= addDays(nowMs, 0);
}

/** Model whose last route ends, or has ended. */
export interface ModelEnding extends Retirement {
  readonly id: string;
  /** Provider of the route. */
  readonly provider: string;
  /** How near the end is: within 30 days, within 7 days, or past. */
  readonly stage: 'ends' | 'ends-soon' | 'ended';
  /** Words for the end and for what takes its place. */
  readonly message: string;
}

/** Lists the models that lose their last route within 30 days, or have lost it. `usable` says which providers are in use. */
export function listEndings(
  { models }: Pick<Catalog, 'models'>,
  usable: (provider: string) => boolean,
  nowMs = Date.now(),
): ModelEnding[] {
  const soon = addDays(nowMs, WARNING_DAYS);
  return [...models.values()].flatMap(({ id, routes }) => {
    const used = routes.filter(({ provider }) => usable(provider));
    const ends = used.flatMap((route) => (route.retires ? [{ ...route, retires: route.retires }] : []));
    const last = ends.sort((a, b) => (a.retires.on < b.retires.on ? 1 : -1))[0];
    if (last === undefined || ends.length < used.length || last.retires.on > soon) {
      return [];
    }
    const { on, successor } = last.retires;
    const hint = successor === null ? 'add a route of another model' : `write ${successor} instead`;
    const message = `its last route (${last.provider} ${last.model}) ends on ${on}; ${hint}`;
    return [{ id, provider: last.provider, on, successor, stage: readStage(on, nowMs), message }];
  });
}

function readStage(on: string, nowMs: number): ModelEnding['stage'] {
  if (on <= addDays(nowMs, 0)) {
    return 'ended';
  }
  return on <= addDays(nowMs, LAST_WARNING_DAYS) ? 'ends-soon' : 'ends';
}

/** Returns a warning for each model that loses its last route within 30 days, or has lost it. */
export function findRetirements(...input: Parameters<typeof listEndings>): CatalogFault[] {
  return listEndings(...input).map(({ id, message }) => ({ path: `models.${id}.routes`, message }));
}

const addDays = (nowMs: number, days: number): string =>
  new Date(nowMs + days * DAY_MS).toISOString().slice(0, 10);
