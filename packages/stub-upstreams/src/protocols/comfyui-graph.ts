import { type StubResponse, toRecord } from '../core/call.js';
import type { StubContext } from '../core/create-context.js';

/** Workflow in API format, with its inputs as records. */
export type Graph = Readonly<
  Record<string, { readonly class_type: string; readonly inputs: Readonly<Record<string, unknown>> }>
>;

/** Kind of an input: a value, or `link` to the output of another node. */
type InputKind = 'text' | 'integer' | 'number' | 'link' | 'checkpoint' | 'upload';

/** Files in the folder of checkpoints. */
const CHECKPOINTS = ['sd_xl_base_1.0.safetensors', 'qwen_image_edit.safetensors'];

/** Classes that the stub has installed, as the server's own nodes have them: each input with its kind, `?` for optional. */
const NODE_CLASSES: Readonly<Record<string, string>> = {
  CheckpointLoaderSimple: 'ckpt_name:checkpoint',
  EmptyLatentImage: 'width:integer height:integer batch_size:integer',
  EmptySD3LatentImage: 'width:integer height:integer batch_size:integer',
  CLIPTextEncode: 'text:text clip:link',
  TextEncodeQwenImageEditPlus: 'clip:link prompt:text vae?:link image1?:link image2?:link image3?:link',
  KSampler:
    'seed:integer steps:integer cfg:number sampler_name:text scheduler:text denoise:number model:link positive:link ' +
    'negative:link latent_image:link',
  VAEDecode: 'samples:link vae:link',
  VAEEncode: 'pixels:link vae:link',
  LoadImage: 'image:upload',
  ImageScale: 'image:link upscale_method:text width:integer height:integer crop:text',
  SaveImage: 'images:link filename_prefix:text',
  PreviewImage: 'images:link',
};
const OUTPUTS = ['SaveImage', 'PreviewImage'];

/** Builds ComfyUI's refusal of a workflow. */
function graphError(type: string, message: string, node_errors: object = {}): StubResponse {
  const error = { type, message, details: message, extra_info: {} };
  return { status: 400, body: { error, node_errors } };
}

/** Reads the nodes of a workflow. */
export function parseGraph(prompt: unknown): Graph {
  const nodes = Object.entries(toRecord(prompt)).map(([id, node]) => {
    const { class_type, inputs } = toRecord(node);
    return [id, { class_type: String(class_type), inputs: toRecord(inputs) }];
  });
  return Object.fromEntries(nodes) as Graph;
}

/** Checks a workflow as the server does before it enters the queue; the refusal names every fault of every node. */
export function checkGraph(
  body: unknown,
  uploads: StubContext['uploads'],
): { readonly graph: Graph } | { readonly refusal: StubResponse } {
  const given = toRecord(body).prompt;
  if (given === undefined) {
    return { refusal: graphError('no_prompt', 'No prompt provided') };
  }
  const graph = parseGraph(given);
  const nodes = Object.entries(graph);
  const unknown = nodes.find(([, node]) => !Object.hasOwn(NODE_CLASSES, node.class_type));
  if (unknown) {
    const message = `Cannot execute because node ${unknown[1].class_type} does not exist.`;
    return { refusal: graphError('invalid_prompt', message) };
  }
  if (!nodes.some(([, node]) => OUTPUTS.includes(node.class_type))) {
    return { refusal: graphError('prompt_no_outputs', 'Prompt has no outputs') };
  }
  const faulty = nodes.flatMap(([id, { class_type, inputs }]) => {
    const errors = (NODE_CLASSES[class_type] ?? '').split(' ').flatMap((rule) => {
      const [, name = '', optional, kind] = /^(\w+)(\??):(\w+)$/.exec(rule) ?? [];
      const value = inputs[name];
      const fault = value === undefined ? (optional ? null : MISSING) : findFault(kind as InputKind, value);
      return fault === null ? [] : [describeFault(fault, name, value)];
    });
    return errors.length === 0 ? [] : [[id, { errors, dependent_outputs: ['9'], class_type }] as const];
  });
  if (faulty.length === 0) {
    return { graph };
  }
  const message = 'Prompt outputs failed validation';
  return { refusal: graphError('prompt_outputs_failed_validation', message, Object.fromEntries(faulty)) };

  function findFault(kind: InputKind, value: unknown): readonly [string, string] | null {
    const [isGood, ...fault] = {
      link: [
        Array.isArray(value) && value.length === 2 && Object.hasOwn(graph, String(value[0])),
        'bad_linked_input',
        'Bad linked input',
      ],
      checkpoint: [CHECKPOINTS.includes(String(value)), 'value_not_in_list', 'Value not in list'],
      upload: [
        uploads.has(getUploadPath(value)),
        'custom_validation_failed',
        'Custom validation failed for node',
      ],
      text: [typeof value === 'string', 'invalid_input_type', 'Invalid input'],
      integer: [Number.isInteger(value), 'invalid_input_type', 'Failed to convert an input value'],
      number: [typeof value === 'number', 'invalid_input_type', 'Failed to convert an input value'],
    }[kind] as [boolean, string, string];
    return isGood ? null : fault;
  }
}

const MISSING = ['required_input_missing', 'Required input is missing'] as const;

function describeFault([type, message]: readonly [string, string], name: string, value: unknown): object {
  const isMissing = value === undefined;
  const details = isMissing ? name : `${name}: ${JSON.stringify(value)}`;
  return {
    type,
    message,
    details,
    extra_info: { input_name: name, ...(!isMissing && { received_value: value }) },
  };
}

/** Returns where the stub keeps an uploaded image. */
export function getUploadPath(name: unknown): string {
  return `comfyui/input/${String(name)}`;
}

/** Returns the inputs of the empty image from which a workflow begins. */
export function findLatent(graph: Graph): Readonly<Record<string, unknown>> {
  return (
    Object.values(graph).find(({ class_type }) => /^Empty\w*LatentImage$/.test(class_type))?.inputs ?? {}
  );
}

/** Returns how many images a workflow makes. */
export function findCount(graph: Graph): number {
  return Number(findLatent(graph).batch_size ?? 1);
}

/** Returns the text that the sampler follows, or that an encoder for edits reads. */
export function findPrompt(graph: Graph): unknown {
  const link = Object.values(graph).find(({ class_type }) => class_type === 'KSampler')?.inputs.positive;
  const { text, prompt } = graph[String(Array.isArray(link) ? link[0] : '')]?.inputs ?? {};
  return [text, prompt].find((one) => typeof one === 'string');
}
