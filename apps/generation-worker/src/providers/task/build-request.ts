import { NATIVE_SIZES } from '@image-gateway/shared/contract';
import {
  listPlaceholders,
  TASK_PLACEHOLDER,
  type TaskApi,
  type TaskPlaceholder,
  type TaskTemplate,
} from '@image-gateway/shared/upstreams';
import { computeSize } from '../compute-size.js';
import { type Embedded, foldPrompt } from '../http/encode-json.js';
import { asRecord, type JsonRecord } from '../http/json-decoder.js';
import { mergeFields } from '../merge-fields.js';
import type { ProviderRequest } from '../port.js';

/** Submission to a task API; its body contains images as `Embedded` or as URLs of uploads. */
export interface TaskRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonRecord;
}

/** Images of a submission, as data URLs or as URLs of uploads. */
export interface SentImages {
  readonly inputs: readonly (Embedded | string)[];
  readonly mask?: Embedded | string | undefined;
}

type Values = Readonly<Partial<Record<TaskPlaceholder, unknown>>>;

const ASKED: readonly string[] = ['aspect_ratio', 'resolution', 'RESOLUTION', 'size', 'n'];
const CONTENT: readonly string[] = ['prompt', 'negative_prompt', 'model', 'inputs', 'input', 'mask', 'call'];

/** Builds the submission from the template of the API. A field whose placeholder has no value is left out. */
export function buildRequest(
  { submit }: Pick<TaskApi, 'submit'>,
  request: Omit<ProviderRequest, 'inputs'>,
  images: SentImages,
): TaskRequest {
  const { path, body } = (images.inputs.length > 0 ? submit.edit : undefined) ?? submit;
  const values = readValues(request, images, listPlaceholders(body));
  const headers = Object.entries(submit.headers ?? {}).map(([name, text]) => [name, fill(text, values)]);
  return {
    path,
    headers: Object.fromEntries(headers.filter(([, value]) => typeof value === 'string')) as Record<
      string,
      string
    >,
    body: fillBody(body, values, request.options),
  };
}

function readValues(
  request: Omit<ProviderRequest, 'inputs'>,
  { inputs, mask }: SentImages,
  used: ReadonlySet<string>,
): Values {
  const { prompt, negativePrompt, aspectRatio, resolution, takesResolution, slots, fields } = request;
  const { quality, seed, outputFormat, background } = fields;
  return {
    prompt: used.has('negative_prompt') ? prompt : foldPrompt({ prompt, negativePrompt, fields: {} }),
    negative_prompt: negativePrompt,
    model: request.model,
    aspect_ratio: aspectRatio,
    ...(takesResolution && { resolution, RESOLUTION: resolution.toUpperCase() }),
    size: request.size ?? computeSize(NATIVE_SIZES, request).join('x'),
    quality,
    seed,
    output_format: outputFormat,
    background,
    n: slots.length,
    inputs: inputs.length === 0 ? undefined : inputs,
    mask,
    call: request.callId,
  };
}

/** Fills one object of a template and joins it with the options of the route. */
function fillBody(
  template: Readonly<Record<string, TaskTemplate>>,
  values: Values,
  options: JsonRecord,
): JsonRecord {
  const defaults: Record<string, unknown> = {};
  const asked: Record<string, unknown> = {};
  const content: Record<string, unknown> = {};
  for (const [field, part] of Object.entries(template)) {
    const used = [...listPlaceholders(part)];
    if (isObject(part) && used.length > 0 && !used.includes('mask')) {
      content[field] = fillBody(part, values, asRecord(options[field]) ?? {});
    } else if (used.some((name) => CONTENT.includes(name))) {
      content[field] = fill(part, values);
    } else if (used.some((name) => ASKED.includes(name))) {
      asked[field] = fill(part, values);
    } else {
      const filled = fill(part, values);
      if (filled !== undefined) {
        defaults[field] = filled;
      }
    }
  }
  return mergeFields({ defaults, options, asked, content });
}

/** Fills the placeholders of a template in one pass, so that a customer's text never is one; undefined where one has no value. */
function fill(template: TaskTemplate, values: Values): unknown {
  if (typeof template === 'string') {
    return fillText(template, values);
  }
  if (Array.isArray(template)) {
    return fillList(template as readonly TaskTemplate[], values);
  }
  if (!isObject(template)) {
    return template;
  }
  const filled = Object.entries(template).map(([name, part]) => [name, fill(part, values)] as const);
  return filled.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(filled);
}

function fillText(template: string, values: Values): unknown {
  const names = [...template.matchAll(TASK_PLACEHOLDER)].map(([, name = '']) => name as TaskPlaceholder);
  const [first] = names;
  if (first !== undefined && template === `{${first}}`) {
    // A number stays a number, and a list a list.
    return values[first] ?? undefined;
  }
  const isWhole = names.every((name) => ['string', 'number'].includes(typeof values[name]));
  return isWhole
    ? template.replace(TASK_PLACEHOLDER, (_, name: TaskPlaceholder) => String(values[name]))
    : undefined;
}

/** Repeats the entry of a list that has `{input}` for each input image. */
function fillList(template: readonly TaskTemplate[], values: Values): unknown {
  const inputs: readonly unknown[] = Array.isArray(values.inputs) ? values.inputs : [];
  const filled = template.flatMap((part) =>
    listPlaceholders(part).has('input')
      ? inputs.map((input) => fill(part, { ...values, input }))
      : [fill(part, values)],
  );
  return filled.length === 0 || filled.includes(undefined) ? undefined : filled;
}

function isObject(template: TaskTemplate): template is Readonly<Record<string, TaskTemplate>> {
  return typeof template === 'object' && template !== null && !Array.isArray(template);
}
