import sharp from 'sharp';
import { ok, type StubResponse } from '../core/call.js';
import { repeat, type StubContext } from '../core/create-context.js';
import { findCount, findLatent, type Graph, getUploadPath } from './comfyui-graph.js';

const SQUARE = { width: 1024, height: 1024 };

/** Runs a checked workflow: the entry of the history as the body. Bills the images. */
export async function runGraph(context: StubContext, graph: Graph, id: string): Promise<StubResponse> {
  const names = findAll(graph, 'LoadImage').map((node) => getUploadPath(graph[node]?.inputs.image));
  const files = names.map((name) => context.uploads.get(name)?.bytes ?? Buffer.alloc(0));
  if ((await context.readInputs(files)) !== null) {
    const text = "cannot identify image file '/comfyui/input/image.png'";
    return fail(id, 'PIL.UnidentifiedImageError', 'LoadImage', text);
  }
  if (context.mode === 'moderation') {
    const text = 'The image was rejected by the safety checker: NSFW content';
    return fail(id, 'Exception', 'SafetyChecker', text);
  }
  const [saving] = findAll(graph, 'SaveImage');
  const made = saving === undefined ? 0 : context.bill(findCount(graph));
  const order = { ...(await findSize(graph, files[0])), format: 'png' } as const;
  const images = repeat(made, () => {
    const filename = context.keep(order).split('/').at(-1);
    return { filename, subfolder: '', type: 'output' };
  });
  const timestamp = Date.now();
  const messages = [
    ['execution_start', { prompt_id: id, timestamp }],
    ['execution_cached', { nodes: [], prompt_id: id, timestamp }],
    ['execution_success', { prompt_id: id, timestamp }],
  ];
  const outputs = saving === undefined || made === 0 ? {} : { [saving]: { images } };
  return ok({ outputs, status: { status_str: 'success', completed: true, messages } });
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

function fail(prompt_id: string, type: string, node: string, text: string): StubResponse {
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
  return ok({ outputs: {}, status: { status_str: 'error', completed: false, messages } });
}
