import { type Capabilities, listTaken, MAX_SEED, NO_CAPABILITIES } from './capabilities.js';
import {
  bearer,
  isObject,
  type ProtocolRoute,
  type RouteFault,
  type UpstreamDescription,
} from './protocol.js';

/** Placeholder in a text of a workflow, such as `{{prompt}}`. */
export const PLACEHOLDER = /\{\{(\w{1,40})\}\}/g;

/** Names of the placeholders that stand for input images, in their order. */
export const IMAGE_PLACEHOLDERS: readonly string[] = Array.from({ length: 9 }, (_, at) => `image_${at + 1}`);

const VALUES = ['prompt', 'negative_prompt', 'width', 'height', 'count', 'seed', 'model'];
const KNOWN: ReadonlySet<string> = new Set([...VALUES, ...IMAGE_PLACEHOLDERS]);

/** Checks the workflow of a ComfyUI route: its form, and a placeholder for everything that the route promises. */
function checkWorkflow(route: ProtocolRoute): readonly RouteFault[] {
  const { workflow } = route.options;
  if (!isWorkflow(workflow)) {
    return [
      {
        field: 'options.workflow',
        message: 'must be a workflow in API format: nodes by their id, each with class_type and inputs',
      },
    ];
  }
  const used = new Set([...JSON.stringify(workflow).matchAll(PLACEHOLDER)].map(([, name = '']) => name));
  const unknown = [...used].filter((name) => !KNOWN.has(name));
  const missing = listRequired(route).filter(([name]) => !used.has(name));
  return [
    ...unknown.map((name) => ({
      field: 'options.workflow',
      message: `unknown placeholder {{${name}}}; possible: ${[...VALUES, 'image_1'].join(', ')} to image_9`,
    })),
    ...missing.map(([name, why]) => ({
      field: 'options.workflow',
      message: `needs the placeholder {{${name}}}: ${why}`,
    })),
  ];
}

function isWorkflow(value: unknown): boolean {
  const isNode = (node: unknown): boolean =>
    isObject(node) && typeof node.class_type === 'string' && isObject(node.inputs);
  return isObject(value) && Object.keys(value).length > 0 && Object.values(value).every(isNode);
}

function listRequired({ types, maxInputs, maxImagesPerCall, resolution }: ProtocolRoute) {
  const required: (readonly [string, string])[] = [
    ['prompt', "the customer's text goes there"],
    ['seed', 'an equal workflow is not run again'],
  ];
  if (resolution === 'sent') {
    const why = 'the size goes there, or say resolution: fixed';
    required.push(['width', why], ['height', why]);
  }
  if ((maxImagesPerCall ?? 1) > 1) {
    required.push(['count', 'max_images_per_call is above 1']);
  }
  if (types.includes('image_edit')) {
    const images = IMAGE_PLACEHOLDERS.slice(0, Math.max(1, maxInputs));
    required.push(
      ...images.map((name) => [name, 'an input image goes there, or lower max_inputs or types'] as const),
    );
  }
  return required;
}

/** Fields have places in the workflow. */
function readPlaces({ workflow }: ProtocolRoute['options']): Capabilities {
  const used = [...JSON.stringify(workflow ?? null).matchAll(PLACEHOLDER)].map(([, name]) => name);
  return {
    ...NO_CAPABILITIES,
    seed: used.includes('seed') ? MAX_SEED : null,
    negativePrompt: used.includes('negative_prompt'),
  };
}

/** API of a ComfyUI server. */
export const comfyui = {
  envPrefix: null,
  baseUrl: null,
  apiPath: '',
  resultHosts: [],
  // The server itself has no keys; a proxy in front of it may require one.
  authorize: bearer,
  maxImagesPerCall: 1,
  checkPath: '/system_stats',
  keysAt: 'the proxy in front of the server',
  checkRoute: checkWorkflow,
  accepts: readPlaces,
  sends: ({ options }) => listTaken(readPlaces(options)),
  defaultQuality: null,
} as const satisfies UpstreamDescription;
