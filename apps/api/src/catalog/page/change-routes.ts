import type { MergedDocument, RouteEdit, RouteEntry } from '@image-gateway/shared/catalog/document';
import type { EditedRoute, EditedRoutesView } from '@image-gateway/shared/catalog/schema';
import { TASK_TYPES } from '@image-gateway/shared/contract';
import type { Database } from '@image-gateway/shared/db';
import { notFound } from '@image-gateway/shared/errors';
import { listWorkerProviders, mergeProviders } from '../../provider/list-worker-providers.js';
import { compareDocuments } from '../compare-documents.js';
import { parseInThread } from '../documents/parse-in-thread.js';
import { type EditModels, editCatalog, editSource } from '../edit-catalog.js';
import { findVersion } from '../versions.js';
import { findActive, type PageChange, refuse } from './change-models.js';
import type { OfferSettings } from './view-models.js';

type Db = Pick<Database, 'run'>;

/** Routes of a model that an operator wants, each with its place in the version that the change is made from. */
export interface RoutesChange {
  readonly id: string;
  readonly routes: readonly EditedRoute[];
}

/** Fields that the form of a route has. */
const FORM_FIELDS: readonly string[] = [
  'provider',
  'model',
  'cost',
  'weight',
  'types',
  'max_inputs',
  'resolution',
];

/**
 * Lists the routes of a model as the newest document has them, built-in ones in the order in which they are called. Throws AppError
 * `NOT_FOUND` for a model that it has not.
 */
export async function listEditedRoutes(
  { db, listProviders }: Pick<OfferSettings, 'listProviders'> & { readonly db: Db },
  id: string,
): Promise<EditedRoutesView> {
  const [active, workers] = await Promise.all([findVersion(db, null), listWorkerProviders(db)]);
  const checked = await parseInThread('checkDocument', active.source, active.document);
  if ('faults' in checked) {
    return refuse(checked.faults);
  }
  const { models, built_in_routes: builtIn } = checked.document;
  const { names } = mergeProviders(listProviders(checked.catalog), workers);
  const rank = ({ provider }: { readonly provider: string }): number =>
    names.includes(provider) ? names.indexOf(provider) : names.length;
  const model = Object.hasOwn(models, id) ? models[id] : undefined;
  if (model === undefined) {
    throw notFound('model', id);
  }
  const routes = (model.routes ?? []).map(presentRoute);
  const isBuiltIn = builtIn.includes(id);
  return {
    version: active.id,
    is_built_in: isBuiltIn,
    routes: isBuiltIn ? routes.sort((a, b) => rank(a) - rank(b)) : routes,
  };
}

function presentRoute(route: RouteEntry, place: number): EditedRoutesView['routes'][number] {
  const { provider, model, cost, weight, types, max_inputs, options = {}, resolution } = route;
  const { image_field: field, ...rest } = options;
  const other = Object.keys(route).filter((name) => name !== 'options' && !FORM_FIELDS.includes(name));
  return {
    place,
    provider,
    model,
    cost: cost as EditedRoute['cost'],
    weight: weight ?? null,
    types: types ?? TASK_TYPES,
    max_inputs: max_inputs ?? null,
    image_field: typeof field === 'string' ? field : null,
    is_fixed: resolution === 'fixed',
    other: [...other, ...Object.keys(rest).map((name) => `options.${name}`)],
  };
}

/** Writes the document with other routes of a model, without applying it. Throws VersionConflict and AppError `NOT_FOUND`. */
export async function draftRoutes(
  db: Db,
  { from, ...change }: RoutesChange & Pick<PageChange, 'from'>,
): ReturnType<typeof editSource> {
  return editSource(await findActiveWith(db, { id: change.id, from }), editRoutes(change));
}

/** Applies other routes of a model. Throws as `draftRoutes` does, and AppError `VALIDATION_ERROR` with all faults. */
export async function setRoutes(
  db: Db,
  { id, routes, ...change }: RoutesChange & Omit<PageChange, 'retyped'>,
): Promise<number> {
  const edited = await editCatalog(db, {
    active: await findActiveWith(db, { id, from: change.from }),
    actor: change.actor,
    origin: 'page',
    edit: editRoutes({ id, routes }),
  });
  return 'faults' in edited ? refuse(edited.faults) : edited.version;
}

/**
 * Returns the newest version, which the change was started from. Throws AppError `NOT_FOUND` where it lacks the model, else
 * VersionConflict.
 */
async function findActiveWith(
  db: Db,
  { id, from }: { readonly id: string; readonly from: number },
): ReturnType<typeof findActive> {
  const { document } = await findVersion(db, null);
  if (!Object.hasOwn((document as MergedDocument).models, id)) {
    throw notFound('model', id);
  }
  return findActive(db, { from });
}

/** Returns the edit of the routes of a model, with words of what it does to them; faults name what the document has not. */
const editRoutes =
  ({ id, routes }: RoutesChange): EditModels =>
  (known) => {
    const before = known[id]?.routes ?? [];
    const places = routes.flatMap(({ place }) => place ?? []);
    const faults = routes.flatMap(({ place }, index) =>
      place !== null && (before[place] === undefined || places.indexOf(place) !== places.lastIndexOf(place))
        ? [
            {
              path: `models.${id}.routes.${index}`,
              message: 'is no route of the version, or stands here twice',
            },
          ]
        : [],
    );
    if (faults.length > 0) {
      return { faults };
    }
    const edits = routes.map((route) => toEdit(route, before[route.place ?? -1]));
    return { edits: [{ id, routes: edits }], note: describeEdit(id, { before, routes, edits }) };
  };

/** Fields that are as they were are no part of the edit: the text of the document keeps them as they are written. */
function toEdit(
  { place, image_field, is_fixed, types, ...wanted }: EditedRoute,
  before: RouteEntry | undefined,
): RouteEdit {
  const { image_field: _before, ...options } = before?.options ?? {};
  const all = { ...options, ...(image_field !== null && { image_field }) };
  const known = before?.types ?? TASK_TYPES;
  const isKept =
    before !== undefined && types.length === known.length && types.every((type) => known.includes(type));
  const fields: Readonly<Record<string, unknown>> = {
    ...wanted,
    types: isKept ? before.types : types,
    options: Object.keys(all).length === 0 ? undefined : all,
    resolution: is_fixed ? 'fixed' : before?.resolution === 'sent' ? 'sent' : undefined,
  };
  const changed = Object.entries(fields)
    .filter(
      ([name, value]) =>
        compareDocuments({ value: before?.[name as keyof RouteEntry] }, { value: value ?? undefined })
          .length > 0,
    )
    .map(([name, value]) => [name, value ?? null]);
  return { place, fields: Object.fromEntries(changed) };
}

/** Says in words what an edit does to the routes of a model: the note of the version, which the audit log has too. */
function describeEdit(
  id: string,
  {
    before,
    routes,
    edits,
  }: { readonly before: readonly RouteEntry[]; readonly edits: readonly RouteEdit[] } & Omit<
    RoutesChange,
    'id'
  >,
): string {
  const name = ({ provider, model }: Pick<RouteEntry, 'provider' | 'model'>): string =>
    `${provider} ${model}`;
  const places = routes.flatMap(({ place }) => place ?? []);
  const parts = [
    ...routes.filter(({ place }) => place === null).map((route) => `${name(route)} added`),
    ...before.filter((_, place) => !places.includes(place)).map((route) => `${name(route)} removed`),
    ...edits.flatMap(({ place, fields }) => {
      const route = before[place ?? -1];
      return route === undefined || Object.keys(fields).length === 0
        ? []
        : [`${Object.keys(fields).join(', ')} of ${name(route)} changed`];
    }),
    ...(places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0))
      ? []
      : ['order changed']),
  ];
  return `Routes of ${id}: ${parts.join('; ')}`.slice(0, MAX_NOTE);
}

const MAX_NOTE = 400;
