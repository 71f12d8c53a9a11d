import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectError } from './support/expect-error.js';
import { allowedPort } from './support/product/shared-product.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';
import { type Receiver, startReceiver } from './support/servers/receiver.js';

type Fields = Record<string, unknown>;

const prompt = 'sandbox:fixed';
const emoji = (count: number) => '🦊'.repeat(count);
const padded = (start: string, length: number) => start + 'a'.repeat(length - start.length);

let scene: Scene;
let customer: Customer;
let receiver: Receiver;

beforeAll(async () => {
  scene = await openSharedScene();
  receiver = await startReceiver(await allowedPort());
  customer = await scene.customer();
}, 700_000);
afterAll(async () => {
  await scene.audit();
  await receiver.close();
});

const accepted: [string, () => Fields][] = [
  ['a prompt of 1 character', () => ({ prompt: 'x' })],
  ['a prompt of 2000 characters', () => ({ prompt: padded(prompt, 2000) })],
  ['a prompt of 2000 emoji, which are one character each', () => ({ prompt: emoji(2000) })],
  ['a negative prompt of 1000 emoji', () => ({ prompt, negative_prompt: emoji(1000) })],
  ['an empty negative prompt', () => ({ prompt, negative_prompt: '' })],
  ['aspect ratio 16:9', () => ({ prompt, aspect_ratio: '16:9' })],
  ['aspect ratio 9:16', () => ({ prompt, aspect_ratio: '9:16' })],
  ['1 output', () => ({ prompt, num_outputs: 1 })],
  ['4 outputs', () => ({ prompt, num_outputs: 4 })],
  ['4.0 outputs, the same number in JSON', () => ({ prompt, num_outputs: 4.0 })],
  ['resolution 1k', () => ({ prompt, resolution: '1k' })],
  ['resolution 2k', () => ({ prompt, resolution: '2k' })],
  ['resolution 4k', () => ({ prompt, resolution: '4k' })],
  ['a duration of 1', () => ({ prompt, duration: 1 })],
  ['a duration of 60', () => ({ prompt, duration: 60 })],
  ['9 image URLs, all the same', () => ({ prompt, image_urls: Array(9).fill(receiver.url('/none.png')) })],
  ['a webhook URL of 2048 characters', () => ({ prompt, webhook_url: padded(receiver.url('/'), 2048) })],
  ['fields it does not know', () => ({ prompt, seed: 7, style: { name: 'oil' } })],
  [
    'null for every optional field, as if it were absent',
    () => ({
      prompt,
      negative_prompt: null,
      aspect_ratio: null,
      num_outputs: null,
      resolution: null,
      image_urls: null,
      webhook_url: null,
      duration: null,
    }),
  ],
];

const refused: [string, Fields][] = [
  ['no model', { prompt, model: undefined }],
  ['a null model', { prompt, model: null }],
  ['an unknown model', { prompt, model: 'other' }],
  ['the public catalog name instead of the model id', { prompt, model: 'nano-banana' }],
  ['a model in other case', { prompt, model: 'NanoBanana' }],
  ['a number for the model', { prompt, model: 1 }],
  ['no prompt', {}],
  ['a null prompt', { prompt: null }],
  ['an empty prompt', { prompt: '' }],
  ['a prompt of white space only', { prompt: ' \t\n\u3000' }],
  ['a prompt of 2001 characters', { prompt: 'x'.repeat(2001) }],
  ['a prompt of 2001 emoji', { prompt: emoji(2001) }],
  ['a number for the prompt', { prompt: 5 }],
  ['a list for the prompt', { prompt: ['a fox'] }],
  ['a negative prompt of 1001 characters', { prompt, negative_prompt: 'x'.repeat(1001) }],
  ['a number for the negative prompt', { prompt, negative_prompt: 5 }],
  ['aspect ratio 1:1', { prompt, aspect_ratio: '1:1' }],
  ['an empty aspect ratio', { prompt, aspect_ratio: '' }],
  ['0 outputs', { prompt, num_outputs: 0 }],
  ['5 outputs', { prompt, num_outputs: 5 }],
  ['-1 outputs', { prompt, num_outputs: -1 }],
  ['1.5 outputs', { prompt, num_outputs: 1.5 }],
  ['"2" outputs as text', { prompt, num_outputs: '2' }],
  ['true for the number of outputs', { prompt, num_outputs: true }],
  ['resolution 8k', { prompt, resolution: '8k' }],
  ['resolution 1K', { prompt, resolution: '1K' }],
  ['a number for the resolution', { prompt, resolution: 1 }],
  ['a duration of 0', { prompt, duration: 0 }],
  ['a duration of 61', { prompt, duration: 61 }],
  ['a duration of 1.5', { prompt, duration: 1.5 }],
  ['"5" as the duration', { prompt, duration: '5' }],
  ['no image URL in the list', { prompt, image_urls: [] }],
  ['10 image URLs', { prompt, image_urls: Array(10).fill('https://images.invalid/a.png') }],
  ['one text for the image URLs', { prompt, image_urls: 'https://images.invalid/a.png' }],
  ['a null among the image URLs', { prompt, image_urls: [null] }],
  ['a relative image URL', { prompt, image_urls: ['/a.png'] }],
  ['an image URL without host', { prompt, image_urls: ['https://'] }],
  ['an ftp image URL', { prompt, image_urls: ['ftp://images.invalid/a.png'] }],
  ['a data URL', { prompt, image_urls: ['data:image/png;base64,AAAA'] }],
  ['a file URL', { prompt, image_urls: ['file:///etc/passwd'] }],
  ['an image URL with user info', { prompt, image_urls: ['https://user:secret@images.invalid/a.png'] }],
  ['a webhook URL of 2049 characters', { prompt, webhook_url: padded('https://hooks.invalid/', 2049) }],
  ['a webhook URL that is none', { prompt, webhook_url: 'hooks' }],
  ['an empty webhook URL', { prompt, webhook_url: '' }],
  ['an ftp webhook URL', { prompt, webhook_url: 'ftp://hooks.invalid/' }],
  ['a webhook URL with user info', { prompt, webhook_url: 'https://user:secret@hooks.invalid/' }],
  ['a list for the webhook URL', { prompt, webhook_url: ['https://hooks.invalid/'] }],
];

describe('a generate request is accepted with', () => {
  test.each(accepted)('%s', async (_, fields) => {
    expect((await customer.client.generate(fields())).status).toBe(202);
  });
});

describe('a generate request is refused with VALIDATION_ERROR for', () => {
  test.each(refused)('%s', async (_, fields) => {
    expectError(await customer.client.generate(fields), 400, 'VALIDATION_ERROR');
  });

  test('a refused request leaves no task', async () => {
    const before = await customer.client.tasks('?per_page=1');
    await customer.client.generate({ prompt: '' });
    expect((await customer.client.tasks('?per_page=1')).pagination.total).toBe(before.pagination.total);
  });
});

describe('literal addresses that are not public are refused with VALIDATION_ERROR', () => {
  const hosts = [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:a00:1]',
    '[64:ff9b::7f00:1]',
    '[fe80::1]',
    '[fd00:ec2::254]',
    '[2002:7f00:1::]',
  ];
  test.each(hosts)('%s', async (host) => {
    const url = `http://${host}/a.png`;
    expectError(await customer.client.generate({ prompt, image_urls: [url] }), 400, 'VALIDATION_ERROR');
    expectError(await customer.client.generate({ prompt, webhook_url: url }), 400, 'VALIDATION_ERROR');
  });

  test('another port of an allowed address', async () => {
    const url = `http://127.0.0.1:${receiver.port + 1}/`;
    expectError(await customer.client.generate({ prompt, webhook_url: url }), 400, 'VALIDATION_ERROR');
  });
});
