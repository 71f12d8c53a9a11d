import { randomInt } from 'node:crypto';
import { NATIVE_SIZES } from '@image-gateway/shared/contract';
import { IMAGE_PLACEHOLDERS, PLACEHOLDER } from '@image-gateway/shared/upstreams';
import { computeSize } from '../compute-size.js';
import { ProviderError } from '../failures.js';
import { foldPrompt } from '../http/encode-json.js';
import { asRecord } from '../http/json-decoder.js';
import type { ProviderRequest } from '../port.js';

type Value = string | number;

// Some nodes take no larger ones.
const MAX_SEED = 2 ** 31 - 1;
const SIZE = /^(\d+)x(\d+)$/;

/** Draws the seed of a workflow: ComfyUI does not run an equal one again. */
export const drawSeed = (): number => randomInt(MAX_SEED);

/**
 * Returns the body of a submission: the workflow of the route with the values of the request. `images` are the names of
 * uploaded inputs.
 */
export function buildRequest(
  request: Omit<ProviderRequest, 'inputs'>,
  images: readonly string[],
  seed: number,
): Readonly<Record<string, unknown>> {
  const workflow = asRecord(request.options.workflow);
  if (workflow === null) {
    throw new ProviderError('config-drift', 'the options of the route have no workflow');
  }
  const values = new Map<string, Value>([
    ['prompt', foldPrompt(request)],
    ['negative_prompt', request.fields.negativePrompt ?? ''],
    ['model', request.model],
    ['count', request.slots.length],
    ['seed', request.fields.seed ?? seed],
    ...readSize(request),
    ...images.map((name, index) => [IMAGE_PLACEHOLDERS[index] ?? '', name] as const),
  ]);
  const prompt = fillNodes(dropUnusedImages(workflow, values), values);
  // Older servers draw an id of their own.
  return { prompt, prompt_id: request.callId, client_id: 'image-gateway' };
}

function readSize({ size, aspectRatio, resolution }: Omit<ProviderRequest, 'inputs'>) {
  const [, ...given] = SIZE.exec(size ?? '') ?? [];
  const [width = 0, height = 0] =
    given.length > 0 ? given.map(Number) : computeSize(NATIVE_SIZES, { aspectRatio, resolution });
  return [
    ['width', width],
    ['height', height],
  ] as const;
}

/** Leaves out nodes for images that the request does not have, and the inputs that are linked to them. */
function dropUnusedImages(
  workflow: Readonly<Record<string, unknown>>,
  values: ReadonlyMap<string, Value>,
): Readonly<Record<string, unknown>> {
  const lacks = (value: unknown): boolean =>
    typeof value === 'string' &&
    [...value.matchAll(PLACEHOLDER)].some(
      ([, name = '']) => IMAGE_PLACEHOLDERS.includes(name) && !values.has(name),
    );
  const readInputs = (node: unknown) => asRecord(asRecord(node)?.inputs) ?? {};
  const kept = Object.entries(workflow).filter(([, node]) => !Object.values(readInputs(node)).some(lacks));
  const ids = new Set(kept.map(([id]) => id));
  const isDangling = (value: unknown): boolean => {
    const target: unknown = Array.isArray(value) && value.length === 2 ? value[0] : undefined;
    return typeof target === 'string' && Object.hasOwn(workflow, target) && !ids.has(target);
  };
  return Object.fromEntries(
    kept.map(([id, node]) => {
      const inputs = Object.entries(readInputs(node)).filter(([, value]) => !isDangling(value));
      return [id, { ...asRecord(node), inputs: Object.fromEntries(inputs) }];
    }),
  );
}

/** Fills the placeholders in one pass, so that a customer's text never is one. */
function fillNodes(value: unknown, values: ReadonlyMap<string, Value>): unknown {
  if (typeof value === 'string') {
    const [whole, name = ''] = [...value.matchAll(PLACEHOLDER)][0] ?? [];
    if (whole === value) {
      // A number stays a number.
      return values.get(name) ?? value;
    }
    return value.replace(PLACEHOLDER, (text, one: string) => String(values.get(one) ?? text));
  }
  if (Array.isArray(value)) {
    return value.map((one) => fillNodes(one, values));
  }
  const record = asRecord(value);
  return record === null
    ? value
    : Object.fromEntries(Object.entries(record).map(([name, one]) => [name, fillNodes(one, values)]));
}
