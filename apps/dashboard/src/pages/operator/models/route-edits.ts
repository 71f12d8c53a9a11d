import type { EditedRoute, EditedRoutesView } from '@image-gateway/shared/catalog/schema';
import { type DollarsByQuality, QUALITIES, RESOLUTIONS, type TaskType } from '@image-gateway/shared/contract';

/** Route in the form: one of the version that is edited, or a new one. */
export type DraftRoute = EditedRoute & {
  /** Stays the same wherever the route moves. */
  readonly key: string;
  /** Fields that only the document changes. */
  readonly other: readonly string[];
};

/** Returns the routes of a version as the form edits them. */
export const toDrafts = ({ routes }: EditedRoutesView): readonly DraftRoute[] =>
  routes.map((route) => ({ ...route, key: `place ${route.place}` }));

/** Returns the routes as the API takes them. */
export const toRoutes = (drafts: readonly DraftRoute[]): EditedRoute[] =>
  drafts.map(({ key: _key, other: _other, ...route }) => route);

/** Says in a word how a route of the form differs from that of the version; null where it does not. */
export function nameEdit(draft: DraftRoute, opened: readonly DraftRoute[]): string | null {
  if (draft.place === null) {
    return 'new';
  }
  const before = opened.find(({ key }) => key === draft.key);
  return JSON.stringify(draft) === JSON.stringify(before) ? null : 'changed';
}

/** Moves a route by one place. */
export function move(drafts: readonly DraftRoute[], from: number, by: 1 | -1): readonly DraftRoute[] {
  const [route] = drafts.slice(from, from + 1);
  return route === undefined ? drafts : drafts.toSpliced(from, 1).toSpliced(from + by, 0, route);
}

/** Field of the cost of an image: its name is the resolution, with the quality where there is one: `2k high`. */
export interface CostField {
  readonly name: string;
  readonly amount: string;
}

/**
 * Lists the fields of the cost of a route. They are by quality where it costs so, where one is added, or where a new one's model is
 * sold so.
 */
export function listCostFields(
  { cost, place }: Pick<DraftRoute, 'cost' | 'place'>,
  sold: readonly { readonly resolution: string; readonly quality: string | null }[],
  added: readonly string[],
): readonly CostField[] {
  return RESOLUTIONS.flatMap((resolution) => {
    const given = cost[resolution];
    const adds = (quality: string): boolean => added.includes(`${resolution} ${quality}`);
    const qualities = QUALITIES.filter(
      (quality) =>
        adds(quality) ||
        (typeof given === 'object' && given[quality] !== undefined) ||
        sold.some((one) => one.resolution === resolution && one.quality === quality),
    );
    const isByQuality =
      typeof given === 'object' ||
      qualities.some(adds) ||
      (given === undefined && place === null && qualities.length > 0);
    return isByQuality
      ? qualities.map((quality) => ({
          name: `${resolution} ${quality}`,
          amount: (typeof given === 'object' && given[quality]) || '',
        }))
      : [{ name: resolution, amount: typeof given === 'string' ? given : '' }];
  });
}

/** Reads the form of a route; empty costs are none. */
export function readRoute(
  draft: DraftRoute,
  values: Readonly<Record<string, string>>,
  data: FormData,
): DraftRoute {
  const text = (name: string): string => (values[name] ?? '').trim();
  const number = (name: string): number | null => (text(name) === '' ? null : Number(text(name)));
  const cost: Record<string, DollarsByQuality> = {};
  for (const name of Object.keys(values).filter((one) => one.startsWith('cost '))) {
    const [, resolution = '', quality] = name.split(' ');
    const before = cost[resolution];
    if (text(name) !== '') {
      cost[resolution] =
        quality === undefined
          ? text(name)
          : { ...(typeof before === 'object' && before), [quality]: text(name) };
    }
  }
  return {
    ...draft,
    provider: text('provider'),
    model: text('upstream'),
    cost,
    weight: number('weight'),
    types: data.getAll('types') as TaskType[],
    max_inputs: number('max_inputs'),
    image_field: text('image_field') || null,
    is_fixed: data.has('is_fixed'),
  };
}

/** Returns the name of the field that a fault below a route is about. */
export function nameField(path: string): string {
  const [field = '', ...rest] = path.split('.');
  const names: Readonly<Record<string, string>> = { model: 'upstream', options: 'image_field' };
  return field === 'cost' ? ['cost', ...rest].join(' ') : (names[field] ?? field);
}
