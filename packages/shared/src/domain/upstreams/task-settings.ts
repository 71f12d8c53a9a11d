/** Template of a JSON body: constants, and texts with placeholders. */
export type TaskTemplate =
  | string
  | number
  | boolean
  | null
  | readonly TaskTemplate[]
  | { readonly [field: string]: TaskTemplate };

/** Body of a submission, by its fields. */
export type TaskBody = Readonly<Record<string, TaskTemplate>>;

/** Classes of errors that an API's own codes stand for. */
export const TASK_ERROR_CLASSES = [
  'moderation',
  'input',
  'quota',
  'billing',
  'key',
  'overload',
  'no_image',
  'rate',
  'timeout',
  'canceled',
] as const;

/** A class of errors. */
export type TaskErrorClass = (typeof TASK_ERROR_CLASSES)[number];

/** How an API for asynchronous tasks is spoken to: paths begin with a slash and follow the base URL, `$…` are JSONPaths. */
export interface TaskApi {
  readonly submit: {
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: TaskBody;
    /** Another request for edits. */
    readonly edit?: { readonly path: string; readonly body: TaskBody };
    readonly id: string;
  };
  readonly poll: {
    readonly path: string;
    readonly status: string;
    readonly running: readonly string[];
    readonly done: readonly string[];
    /** An error code of an answer without a state may be one. */
    readonly failed: readonly string[];
    /** Text that holds the JSON which `images` selects from. */
    readonly parse?: string;
    readonly images: string;
    readonly error: string;
    readonly code?: string;
    /** Dollars, or units of `cost_unit`. */
    readonly cost?: string;
  };
  readonly cancel?: { readonly method: 'POST' | 'PUT' | 'DELETE'; readonly path: string };
  readonly auth?: { readonly header: string; readonly prefix?: string };
  readonly inputs?: { readonly upload: TaskUpload };
  readonly codes?: Readonly<Partial<Record<TaskErrorClass, readonly string[]>>>;
  /** Dollars of a unit of `cost`. */
  readonly cost_unit?: string;
  /** True if a repetition with the same `{call}` starts nothing anew. */
  readonly idempotent?: boolean;
}

/** Upload of an input image, whose URL stands in the submission. */
export interface TaskUpload {
  readonly path: string;
  readonly field: string;
  readonly url: string;
  /** Further fields of the form; presets only. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Base URL of uploads for an API on that host; presets only. */
  readonly at?: { readonly host: string; readonly base: string };
}

/** Names of all presets. */
export const TASK_PRESET_NAMES = ['apimart', 'evolink', 'kie', 'sub2api', 'image-gateway'] as const;

/** Name of a preset. */
export type TaskPreset = (typeof TASK_PRESET_NAMES)[number];

/** Settings of a task API as a document gives them: a preset, whose sections may be replaced, or all sections. */
export interface TaskSettings extends Partial<TaskApi> {
  readonly preset?: TaskPreset;
}

/** Placeholders of a body and of headers. */
export const TASK_PLACEHOLDERS = [
  'prompt',
  'negative_prompt',
  'model',
  'aspect_ratio',
  'resolution',
  'RESOLUTION',
  'size',
  'quality',
  'seed',
  'output_format',
  'background',
  'n',
  'inputs',
  'input',
  'mask',
  'call',
] as const;

/** Name of a placeholder. */
export type TaskPlaceholder = (typeof TASK_PLACEHOLDERS)[number];

/** Placeholder in a text, such as `{prompt}`. */
export const TASK_PLACEHOLDER = /\{(\w{1,40})\}/g;
