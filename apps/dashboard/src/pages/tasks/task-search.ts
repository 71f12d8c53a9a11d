import type { Query } from '../../api/route-types.js';

type TasksQuery = NonNullable<Query<'/tasks'>['query']>;

/** Page and filters of the list of tasks, as its address shows them. */
export type TaskSearch = Pick<TasksQuery, 'page' | 'status' | 'type' | 'model'> & {
  /** An entry of metadata as `key=value`. */
  readonly entry?: string;
};

/** Reads the filters of the address, without invalid ones. */
export function readTaskSearch(search: Readonly<Record<string, unknown>>): TaskSearch {
  const { page, status, type, model, entry } = search;
  return {
    ...(typeof page === 'number' && Number.isSafeInteger(page) && page > 1 && { page }),
    ...((status === 'pending' || status === 'completed' || status === 'failed') && { status }),
    ...((type === 'image_generate' || type === 'image_edit') && { type }),
    ...(typeof entry === 'string' && entry !== '' && { entry }),
    ...(typeof model === 'string' && model !== '' && { model: model as NonNullable<TasksQuery['model']> }),
  };
}
