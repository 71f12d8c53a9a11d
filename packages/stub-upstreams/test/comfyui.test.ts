import { eventually } from '@image-gateway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { type StubUpstreams, startStubUpstreams } from '../src/index.js';
import { buildWorkflow } from './support/requests.js';

let stub: StubUpstreams;
beforeAll(async () => {
  stub = await startStubUpstreams();
});
beforeEach(() => {
  stub.behaveWell();
  stub.forgetCalls();
});
afterAll(() => stub.close());

const post = (path: string, body: object) =>
  fetch(`${stub.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const get = async (path: string) => (await (await fetch(`${stub.url}${path}`)).json()) as never;
const submit = async (prompt: object) =>
  (await (await post('/prompt', { prompt, client_id: 'a test' })).json()) as { prompt_id: string };

describe('the ComfyUI stub', () => {
  test('the ComfyUI stub runs a workflow: queue, history and the file', async () => {
    stub.behave('comfyui', { mode: 'ok', jobMs: 200 });
    const { prompt_id: id } = await submit(buildWorkflow('a red fox'));
    expect(await get(`/history/${id}`)).toEqual({});
    expect(await get('/queue')).toMatchObject({
      queue_running: [[12, id, {}, {}, ['9']]],
      queue_pending: [],
    });
    const image = { filename: expect.any(String), subfolder: '', type: 'output' };
    const history = { [id]: { outputs: { 9: { images: [image] } }, status: { status_str: 'success' } } };
    const seen = await eventually(async () => {
      const now = (await get(`/history/${id}`)) as typeof history;
      expect(now).toMatchObject(history);
      return now;
    });
    const name = String(seen[id]?.outputs[9].images[0]?.filename);
    const file = await fetch(`${stub.url}/view?filename=${name}&subfolder=&type=output`);
    expect(await sharp(Buffer.from(await file.arrayBuffer())).metadata()).toMatchObject({
      format: 'png',
      width: 1344,
    });
    expect(stub.calls({ kind: 'submit' })).toMatchObject([
      { model: 'sd_xl_base_1.0.safetensors', prompt: 'a red fox', asked: 1, billed: 1 },
    ]);
  });

  test.each<[string, (graph: ReturnType<typeof buildWorkflow>) => object, string]>([
    ['no workflow', () => ({ not: 'a node' }), 'node undefined does not exist'],
    [
      'a missing node',
      (graph) => ({ ...graph, 9: { class_type: 'SaveFox', inputs: {} } }),
      'node SaveFox does not exist',
    ],
    ['no output', ({ 9: _output, ...graph }) => graph, 'Prompt has no outputs'],
    [
      'a missing input',
      (graph) => ({ ...graph, 8: { class_type: 'VAEDecode', inputs: { samples: ['3', 0] } } }),
      'required_input_missing',
    ],
    [
      'a link to nothing',
      (graph) => ({
        ...graph,
        8: { class_type: 'VAEDecode', inputs: { samples: ['30', 0], vae: ['4', 2] } },
      }),
      'bad_linked_input',
    ],
    [
      'a file that it lacks',
      (graph) => ({ ...graph, 4: { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'fox' } } }),
      'value_not_in_list',
    ],
    [
      'a text for a number',
      (graph) => ({
        ...graph,
        5: { class_type: 'EmptyLatentImage', inputs: { width: '1344', height: 768, batch_size: 1 } },
      }),
      'invalid_input_type',
    ],
    [
      'an input that nobody uploaded',
      (graph) => ({ ...graph, 10: { class_type: 'LoadImage', inputs: { image: 'fox.png' } } }),
      'custom_validation_failed',
    ],
  ])('the ComfyUI stub refuses %s with 400', async (_name, change, text) => {
    const answer = await post('/prompt', { prompt: change(buildWorkflow('a red fox')) });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(text);
    expect(stub.calls({ kind: 'submit' })).toMatchObject([{ billed: 0 }]);
  });

  test('the ComfyUI stub stops a workflow, which then has no images', async () => {
    stub.behave('comfyui', 'endless-job');
    const { prompt_id: id } = await submit(buildWorkflow('a red fox'));
    await post('/interrupt', { prompt_id: id });
    expect(await get(`/history/${id}`)).toMatchObject({
      [id]: { outputs: {}, status: { messages: [['execution_interrupted', {}]] } },
    });
    expect(await get('/queue')).toEqual({ queue_running: [], queue_pending: [] });
  });
});
