import { FAILURE_CLASSES } from '@image-gateway/shared/contract';
import type { InferInput } from '@image-gateway/shared/schema';
import type { galleryQuery } from '@image-gateway/shared/task/schema';
import type { Query } from '../api/route-types.js';

type LogQuery = NonNullable<Query<'/operator/task-log'>['query']>;
type TasksQuery = NonNullable<Query<'/tasks'>['query']>;

/** Search part of the address of the playground. */
export interface PlaygroundSearch {
  /** Id of the task that is shown, and whose request is in the form when the page is opened. */
  readonly run?: string;
  /** Address of an image to edit. */
  readonly image?: string;
  /** Model that is chosen when the page is opened. */
  readonly model?: string;
}

/** Models that the page of models shows in full, beside each other. */
export interface ModelsSearch {
  readonly model?: string;
  readonly beside?: string;
}

/** Page of a list, as its address shows it. */
export interface PageSearch {
  readonly page?: number;
}

/** Filters of the gallery, as its address shows them. */
export type GallerySearch = Omit<InferInput<typeof galleryQuery>, 'before'>;

/** Page and filters of the list of tasks, as its address shows them. */
export type TaskSearch = Pick<TasksQuery, 'page' | 'status' | 'type' | 'model'> & {
  /** An entry of metadata as `key=value`. */
  readonly entry?: string;
};

/** Search part of the address of operators' tasks: the log with its filters, or open tasks. */
export type TaskLogSearch = Omit<LogQuery, 'before' | 'per_page' | 'metadata' | `metadata[${string}]`> & {
  /** Absent: the log. */
  readonly show?: 'stuck' | 'open';
  /** An entry of metadata as `key=value`. */
  readonly entry?: string;
};

/** Text that operators search for, in the address of its page. */
export interface FindSearch {
  readonly q?: string;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string' && value !== '';
const isDay: Check = (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
const isMoment: Check = (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d(T\d\d:\d\d)?$/.test(value);
const isPage: Check = (value) => Number.isSafeInteger(value) && Number(value) > 1;
const isChoice =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const isType = isChoice('image_generate', 'image_edit');

/** Returns what reads the search part of an address, without what is not valid. */
const reader =
  <S>(checks: Readonly<Record<keyof S, Check>>) =>
  (search: Readonly<Record<string, unknown>>): S =>
    Object.fromEntries(
      Object.entries<Check>(checks).flatMap(([name, isValid]) =>
        isValid(search[name]) ? [[name, search[name]]] : [],
      ),
    ) as S;

/** Reads the address of the playground. */
export const readPlaygroundSearch = reader<PlaygroundSearch>({ run: isText, image: isText, model: isText });

/** Reads the models that are shown in full. */
export const readModelsSearch = reader<ModelsSearch>({ model: isText, beside: isText });

/** Reads the filters of the gallery. */
export const readGallerySearch = reader<GallerySearch>({
  model: isText,
  type: isType,
  from: isDay,
  to: isDay,
});

/** Reads the page of a list. */
export const readPageSearch = reader<PageSearch>({ page: isPage });

/** Reads the page and the filters of the list of tasks. */
export const readTaskSearch = reader<TaskSearch>({
  page: isPage,
  status: isChoice('pending', 'completed', 'failed'),
  type: isType,
  model: isText,
  entry: isText,
});

/** Reads what the page of tasks of operators shows. */
export const readTaskLogSearch = reader<TaskLogSearch>({
  show: isChoice('stuck', 'open'),
  account: isText,
  key: isText,
  model: isText,
  provider: isText,
  status: isChoice('pending', 'completed', 'failed'),
  failure: isChoice(...FAILURE_CLASSES),
  request: isText,
  entry: isText,
  from: isMoment,
  to: isMoment,
});

/** Reads the text that operators search for; a number in the address was typed as text. */
export const readFindSearch = ({ q }: Readonly<Record<string, unknown>>): FindSearch =>
  typeof q === 'string' || typeof q === 'number' ? { q: String(q) } : {};

/** Reads an entry of metadata that was typed as `key=value` into query parameters; none while it is not one. */
export function readEntry(text: string): Readonly<Partial<Record<`metadata[${string}]`, string>>> {
  const [, key, value] = /^\s*([A-Za-z0-9_.-]{1,64})=(.{1,512})$/su.exec(text) ?? [];
  return key === undefined || value === undefined ? {} : { [`metadata[${key}]`]: value };
}
