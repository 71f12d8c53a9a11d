import { applyCatalog, buildPng, eventually, type TestAccount } from '@image-gateway/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newOwner, type Owner } from './dashboard/support/people.js';
import { connectClient, type ToolClient } from './mcp/support/connect-client.js';
import { startApi, type TestApi } from './support/start-api.js';

// Each route takes half of what the requests below ask for.
const DOCUMENT = `models:
  two-routes:
    price: { 1k: "0.05", 2k: { low: "0.05", high: "0.09" } }
    aspect_ratios: ["1:1"]
    routes:
      - { provider: sandbox, model: a, cost: { 1k: "0", 2k: { low: "0" } }, accepts: { quality: [low], mask: true, output_format: [png] } }
      - { provider: sandbox, model: b, cost: { 1k: "0", 2k: { high: "0" } }, accepts: { quality: [high], seed: true, background: [transparent], output_format: [webp] } }
`;
const image = `data:image/png;base64,${buildPng({ width: 64, height: 64, depth: 8, colour: 'rgb' }).toString('base64')}`;
const mask = `data:image/png;base64,${buildPng({ width: 64, height: 64, depth: 8, colour: 'rgba' }).toString('base64')}`;
const body = { model: 'two-routes', prompt: 'a fox' };

let api: TestApi;
let account: TestAccount;
let owner: Owner;
let tools: ToolClient;
beforeAll(async () => {
  api = await startApi({ AUTH_SECRET: 'x'.repeat(32), PROVIDERS: 'sandbox' });
  await api.store.ensureBucket();
  await applyCatalog(api.test, DOCUMENT);
  account = await api.account();
  [owner, tools] = [await newOwner(api), await connectClient(api, account)];
  await eventually(async () => {
    const { json } = await api.call('/v1/models', { as: account });
    expect(JSON.stringify(json)).toContain('two-routes');
  });
});
afterAll(async () => {
  await tools.close();
  await api.test.checkInvariants();
  await api.stop();
});

const countTasks = async () => (await api.test.pool.query('SELECT FROM tasks')).rowCount;
const submit = async (path: string, fields: object) => {
  const { status, json } = await api.call(path, { as: account, body: { ...body, ...fields } });
  return { status, message: json.error.message };
};
const single = (fields: string, beside: string) => {
  const pronoun = fields.includes(',') ? 'them' : 'it';
  return `${fields} must be absent: no single route of two-routes takes ${pronoun} with ${beside}.`;
};

describe('what each of two routes takes, and no single one', () => {
  test.each(['/v1/generate', '/v1/quote'])('is refused by %s, which names the fields', async (path) => {
    expect(await submit(path, { seed: 5, output_format: 'png' })).toEqual({
      status: 400,
      message: single('seed', 'output_format and the rest of the request'),
    });
    expect(await submit(path, { resolution: '2k', quality: 'low', background: 'transparent' })).toEqual({
      status: 400,
      message: single('background', 'quality and the rest of the request'),
    });
  });

  test('is refused by the playground: a mask with a seed', async () => {
    const ask = (fields: object) =>
      owner.post('/generate', { ...body, image_urls: [image], mask, ...fields });
    expect(await ask({})).toMatchObject({ status: 202 });
    const tasks = await countTasks();
    expect(await ask({ seed: 5 })).toMatchObject({
      status: 400,
      error: { code: 'VALIDATION_ERROR', message: single('seed', 'mask and the rest of the request') },
    });
    expect(await countTasks()).toBe(tasks);
    expect((await owner.get('/overview')).data).toMatchObject({ held: '$0.0500', open_tasks: 1 });
  });

  test.each([
    ['a transparent background', { background: 'transparent' }, 'background', 'mask'],
    ['a quality that has its own price', { resolution: '2k', quality: 'high' }, 'mask', 'quality'],
  ])('is refused by the OpenAI-compatible API: a mask with %s', async (_what, fields, param, beside) => {
    const { status, json } = await api.call('/openai/v1/images/edits', {
      as: account,
      body: { ...body, image, mask, ...fields },
    });
    expect([status, json.error]).toMatchObject([
      400,
      { param, message: single(param, `${beside} and the rest of the request`) },
    ]);
  });

  test('is refused by the tools of agents', async () => {
    const asked = { ...body, seed: 5, output_format: 'png' };
    const result = await tools.call('generate_image', asked);
    expect(JSON.stringify(result)).toContain('no single route of two-routes takes it with output_format');
  });
});
