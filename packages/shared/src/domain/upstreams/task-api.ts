import { BACKGROUNDS, OUTPUT_FORMATS } from '../contract/index.js';
import {
  type Capabilities,
  listTaken,
  MAX_SEED,
  NO_CAPABILITIES,
  type OptionalName,
} from './capabilities.js';
import { checkJsonPath } from './json-path.js';
import type { ProtocolRoute, RouteFault } from './protocol.js';
import { TASK_PRESETS } from './task-presets.js';
import {
  TASK_PLACEHOLDER,
  TASK_PLACEHOLDERS,
  TASK_PRESET_NAMES,
  type TaskApi,
  type TaskPreset,
  type TaskSettings,
} from './task-settings.js';

/** Returns the whole API of settings; null for settings without a submission or a poll. */
export function resolveTaskApi({ preset, ...given }: TaskSettings): TaskApi | null {
  const base: Partial<TaskApi> = preset === undefined ? {} : TASK_PRESETS[preset];
  const { submit, poll, ...rest } = { ...base, ...given };
  return submit && poll ? { ...rest, submit, poll } : null;
}

/** Returns the placeholders of a template. */
export function listPlaceholders(template: unknown): ReadonlySet<string> {
  const names = [...JSON.stringify(template ?? null).matchAll(TASK_PLACEHOLDER)].map(([, name = '']) => name);
  return new Set(names);
}

/** Abilities of the routes of a task API, by the bodies of its submissions. */
export interface TaskAbilities {
  readonly takesInputs: boolean;
  /** False where a route says by its `types` that it edits: the API may refuse what `{inputs}` sends. */
  readonly editsByDefault: boolean;
  /** False: one image a job. */
  readonly takesNumber: boolean;
  readonly placeholders: ReadonlySet<string>;
  readonly accepts: Capabilities;
}

/** Presets of which each model behind the API decides what it takes, and refuses the rest: a route says its own `accepts` and `types`. */
const MODELS_DECIDE: ReadonlySet<TaskPreset | undefined> = new Set(['image-gateway'] as const);

/** Returns what the routes of a task API can do; nothing for settings without a submission or a poll. */
export function describeAbilities(settings: TaskSettings): TaskAbilities {
  const { body = {}, edit } = resolveTaskApi(settings)?.submit ?? {};
  const isOpen = MODELS_DECIDE.has(settings.preset) && !settings.submit;
  const placeholders = new Set([...listPlaceholders(body), ...listPlaceholders(edit?.body)]);
  const takesInputs = placeholders.has('inputs') || placeholders.has('input');
  return {
    takesInputs,
    editsByDefault: takesInputs && !isOpen,
    takesNumber: listPlaceholders(body).has('n'),
    placeholders,
    accepts: {
      ...NO_CAPABILITIES,
      ...(!isOpen && readFields(placeholders)),
      negativePrompt: placeholders.has('negative_prompt'),
    },
  };
}

function readFields(
  placeholders: ReadonlySet<string>,
): Pick<Capabilities, 'quality' | 'seed' | 'outputFormat' | 'background' | 'mask'> {
  return {
    quality: placeholders.has('quality') ? ['low', 'medium', 'high'] : [],
    seed: placeholders.has('seed') ? MAX_SEED : null,
    outputFormat: placeholders.has('output_format') ? OUTPUT_FORMATS : [],
    background: placeholders.has('background') ? BACKGROUNDS : NO_CAPABILITIES.background,
    mask: placeholders.has('mask'),
  };
}

/** Lists the optional fields that have a place in the bodies of a task API. */
export function listSendable({ task }: ProtocolRoute): OptionalName[] {
  const { accepts, placeholders } = describeAbilities(task ?? {});
  return listTaken({ ...accepts, ...readFields(placeholders) });
}

/** Returns what is wrong with the settings of a task API, by field. */
export function checkTaskSettings(settings: TaskSettings): readonly RouteFault[] {
  const api = resolveTaskApi(settings);
  if (api === null) {
    const field = settings.submit ? 'poll' : 'submit';
    return [{ field, message: `is required, or a preset: ${TASK_PRESET_NAMES.join(', ')}` }];
  }
  const { submit, poll, cancel, inputs, idempotent } = api;
  const used = listPlaceholders([submit.headers, submit.body, submit.edit?.body]);
  const known: readonly string[] = TASK_PLACEHOLDERS;
  const faults: RouteFault[] = [...used]
    .filter((name) => !known.includes(name))
    .map((name) => ({
      field: 'submit',
      message: `unknown placeholder {${name}}; possible: ${TASK_PLACEHOLDERS.map((one) => `{${one}}`).join(' ')}`,
    }));
  for (const [name, body] of [
    ['submit.body', submit.body],
    ['submit.edit.body', submit.edit?.body],
  ] as const) {
    if (body && !listPlaceholders(body).has('prompt')) {
      faults.push({ field: name, message: 'needs the placeholder {prompt}' });
    }
  }
  if (idempotent === true && !used.has('call')) {
    faults.push({ field: 'idempotent', message: 'needs the placeholder {call} in headers or body' });
  }
  const paths: readonly (readonly [string, string | undefined])[] = [
    ['submit.id', submit.id],
    ['poll.status', poll.status],
    ['poll.parse', poll.parse],
    ['poll.images', poll.images],
    ['poll.error', poll.error],
    ['poll.code', poll.code],
    ['poll.cost', poll.cost],
    ['inputs.upload.url', inputs?.upload.url],
  ];
  for (const [field, path] of paths) {
    const message = path === undefined ? null : checkJsonPath(path);
    if (message !== null) {
      faults.push({ field, message });
    }
  }
  for (const [field, path] of [
    ['poll.path', poll.path],
    ['cancel.path', cancel?.path],
  ] as const) {
    if (path !== undefined && !path.includes('{id}')) {
      faults.push({ field, message: 'needs the placeholder {id}' });
    }
  }
  const states = [...poll.running, ...poll.done, ...poll.failed];
  const twice = states.find((state, index) => states.indexOf(state) !== index);
  if (twice !== undefined) {
    faults.push({ field: 'poll', message: `the state "${twice}" stands in the lists twice` });
  }
  return faults;
}

/** Returns what is wrong with a route to a task API: it can do no more than the body of a submission says. */
export function checkTaskRoute({
  types,
  maxInputs,
  maxImagesPerCall,
  task,
}: ProtocolRoute): readonly RouteFault[] {
  if (!task || resolveTaskApi(task) === null) {
    return [];
  }
  const { takesInputs, takesNumber } = describeAbilities(task);
  const faults: RouteFault[] = [];
  if (!takesInputs && types.includes('image_edit')) {
    faults.push({ field: 'types', message: 'the body has no {inputs}; say types: [image_generate]' });
  }
  if (!takesInputs && maxInputs > 0) {
    faults.push({ field: 'max_inputs', message: 'the body has no {inputs}; say max_inputs: 0' });
  }
  if (!takesNumber && (maxImagesPerCall ?? 1) > 1) {
    faults.push({ field: 'max_images_per_call', message: 'the body has no {n}: one image a job' });
  }
  return faults;
}

/** Returns what makes the header of a key for a task API. */
export function createTaskAuthorization(
  settings: TaskSettings,
): (secret: string) => Readonly<Record<string, string>> {
  const { auth } = resolveTaskApi(settings) ?? {};
  const { header = 'authorization', prefix = auth ? '' : 'Bearer ' } = auth ?? {};
  return (secret) => ({ [header.toLowerCase()]: `${prefix}${secret}` });
}
