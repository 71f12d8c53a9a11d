import sharp from 'sharp';
import type { Job } from '../core/create-jobs.js';
import type { StubContext } from '../core/protocol.js';
import type { StubResponse } from '../core/stub-response.js';
import type { ImageSpec } from '../images/create-image-store.js';
import { describeInput } from '../images/describe-input.js';
import { type Graph, getUploadPath } from './check-graph.js';

const SQUARE = { width: 1024, height: 1024 };

/** Runs a checked workflow: the entry of the history as the body. Bills the images. */
export async function runGraph({ id, input, behaviour }: Job, context: StubContext): Promise<StubResponse> {
  const graph = input.graph as Graph;
  const names = findAll(graph, 'LoadImage').map((node) => getUploadPath(graph[node]?.inputs.image));
  const files = names.map((name) => context.uploads.get(name)?.bytes ?? Buffer.alloc(0));
  const inputs = await Promise.all(files.map(describeInput));
  context.noteInputs(inputs.map(({ digest }) => digest));
  if (behaviour.mode === 'invalid-input' || inputs.some(({ readable }) => !readable)) {
    const text = "cannot identify image file '/comfyui/input/image.png'";
    return failed(id, { type: 'PIL.UnidentifiedImageError', node: 'LoadImage', text });
  }
  if (behaviour.mode === 'moderation') {
    const text = 'The image was rejected by the safety checker: NSFW content';
    return failed(id, { type: 'Exception', node: 'SafetyChecker', text });
  }
  const [saving] = findAll(graph, 'SaveImage');
  const count = findCount(graph);
  const wanted = behaviour.mode === 'fewer-images' ? (behaviour.images ?? count - 1) : count;
  if (saving === undefined || behaviour.mode === 'no-image' || wanted === 0) {
    return succeeded(id, {});
  }
  context.bill(wanted);
  const order: ImageSpec = { ...(await findSize(graph, files[0])), format: 'png' };
  const images = Array.from({ length: wanted }, () => {
    const path = context.images.keep('comfyui', order, behaviour);
    return { filename: path.slice(path.lastIndexOf('/') + 1), subfolder: '', type: 'output' };
  });
  return succeeded(id, { [saving]: { images } });
}

/** Finds the nodes of a class, in the order in which the outputs need them. */
function findAll(graph: Graph, name: string): string[] {
  const seen = new Set<string>();
  const visit = (id: string): void => {
    if (seen.has(id)) {
      return;
    }
    seen.add(id);
    for (const value of Object.values(graph[id]?.inputs ?? {})) {
      if (Array.isArray(value)) {
        visit(String(value[0]));
      }
    }
  };
  for (const [id, { class_type }] of Object.entries(graph)) {
    if (class_type === 'SaveImage') {
      visit(id);
    }
  }
  return [...seen].filter((id) => graph[id]?.class_type === name);
}

const findLatent = (graph: Graph): Readonly<Record<string, unknown>> =>
  Object.values(graph).find(({ class_type }) => /^Empty\w*LatentImage$/.test(class_type))?.inputs ?? {};

/** Returns how many images a workflow makes. */
export function findCount(graph: Graph): number {
  return Number(findLatent(graph).batch_size ?? 1);
}

/** Returns the text that the sampler follows, or that an encoder for edits reads. */
export function findPrompt(graph: Graph): string | null {
  const link = Object.values(graph).find(({ class_type }) => class_type === 'KSampler')?.inputs.positive;
  const { text, prompt } = graph[String(Array.isArray(link) ? link[0] : '')]?.inputs ?? {};
  return [text, prompt].find((one): one is string => typeof one === 'string') ?? null;
}

async function findSize(graph: Graph, first: Buffer | undefined) {
  const [scale] = findAll(graph, 'ImageScale');
  const { width, height } = scale === undefined ? findLatent(graph) : (graph[scale]?.inputs ?? {});
  if (typeof width === 'number' && typeof height === 'number') {
    return { width, height };
  }
  if (first === undefined) {
    return SQUARE;
  }
  const own = await sharp(first).metadata();
  return { width: own.width, height: own.height };
}

function succeeded(prompt_id: string, outputs: object): StubResponse {
  const timestamp = Date.now();
  const messages = [
    ['execution_start', { prompt_id, timestamp }],
    ['execution_cached', { nodes: [], prompt_id, timestamp }],
    ['execution_success', { prompt_id, timestamp }],
  ];
  return { status: 200, body: { outputs, status: { status_str: 'success', completed: true, messages } } };
}

function failed(
  prompt_id: string,
  { type, node, text }: { readonly type: string; readonly node: string; readonly text: string },
): StubResponse {
  const error = {
    prompt_id,
    node_id: '10',
    node_type: node,
    executed: [],
    exception_message: text,
    exception_type: type,
    traceback: ['  File "/comfyui/execution.py", line 327, in execute'],
  };
  const messages = [
    ['execution_start', { prompt_id, timestamp: Date.now() }],
    ['execution_error', error],
  ];
  return { status: 200, body: { outputs: {}, status: { status_str: 'error', completed: false, messages } } };
}
