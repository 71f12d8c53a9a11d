import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { mustGateway } from './support/product/gateway.js';
import { type OwnProduct, startProduct } from './support/product/product.js';
import { fastSettings } from './support/product/settings.js';
import { type Customer, openScene } from './support/scene.js';
import { startUpstreams, type Upstreams } from './support/servers/stub-upstreams.js';

const PROMPT = 'a lighthouse';
const BFL_KEYS = 'stub-bfl-1';

let upstreams: Upstreams;
let product: OwnProduct;
let customer: Customer;

beforeAll(async () => {
  upstreams = await startUpstreams();
  product = await startProduct({ settings: { ...fastSettings, BFL_KEYS } });
  const model = (options: object) => ({
    types: ['image_generate'],
    price: { '1k': '0.0500' },
    routes: [{ provider: 'flux', model: 'flux-2-pro', cost: { '1k': '0.0300' }, max_inputs: 8, options }],
  });
  const document = {
    providers: { flux: { protocol: 'bfl', base_url: upstreams.url, key_env: 'BFL_KEYS' } },
    models: { plain: model({}), rewritten: model({ prompt_rewriting: true }) },
  };
  const file = path.join(product.dataDir, 'rewriting.yaml');
  writeFileSync(file, JSON.stringify(document));
  await mustGateway(product, 'catalog', 'apply', file);
  customer = await (await openScene(product)).customer('10.00');
  // Processes follow a document within seconds.
  await eventually(async () => {
    const { data } = await customer.client.call<{ id: string }[]>('GET', '/v1/models');
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['plain', 'rewritten']));
  });
}, 700_000);
afterAll(async () => {
  await product.discard();
  await upstreams.close();
});

/** Draws one image; returns what the vendor was asked and the words of the drawn image. */
async function draw(model: string) {
  const { client } = customer;
  const { id, status } = await client.run({ prompt: PROMPT, model }, 60_000);
  const { data } = await client.call<{ images: { revised_prompt?: string | null }[] }>(
    'GET',
    `/v1/tasks/${id}?view=full`,
  );
  const submitted = (await upstreams.calls()).filter(({ kind }) => kind === 'submit').at(-1);
  return { status, words: data.images[0]?.revised_prompt ?? null, fields: submitted?.fields };
}

describe('a vendor that rewrites prompts by itself', () => {
  test("a vendor that rewrites prompts by itself draws the customer's words", async () => {
    expect(await draw('plain')).toMatchObject({
      status: 'completed',
      words: null,
      fields: { prompt: PROMPT, disable_pup: true },
    });
  });

  test('a vendor that rewrites prompts by itself may do so where its route says prompt_rewriting, and the task has the words that were drawn', async () => {
    expect(await draw('rewritten')).toMatchObject({
      status: 'completed',
      words: `${PROMPT}, in detail`,
      fields: { prompt: PROMPT, disable_pup: false },
    });
  });
});
