import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ImageGateway } from '@image-gateway/client';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { Webhook } from 'standardwebhooks';
import { findChromium } from '../browser/find-chromium.js';
import { launchBrowser } from '../browser/launch-browser.js';
import { eventually } from './support/eventually.js';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';
import { startServer } from './support/servers/start-server.js';
import { preparePython, python, pythonEnvironment } from './support/start-driver.js';

const examples = path.resolve(import.meta.dirname, '../../examples');
const hasPython = await preparePython();
const chromium = await findChromium();
/** Rows of the batch; `.ci/long` takes all that the example has. */
const ROWS = Number(process.env.BATCH_ROWS ?? 25);
/** Parts of the rows after which the batch is killed. */
const KILLED_AT = [0.2, 0.5, 0.8];
const SECRET = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

let scene: Scene;
let folder: string;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  scene = await openSharedScene();
  folder = await mkdtemp(path.join(tmpdir(), 'image-gateway-examples-'));
}, 700_000);
afterAll(async () => {
  for (const child of children) {
    child.kill('SIGKILL');
  }
  await rm(folder, { recursive: true, force: true });
  await scene.audit();
});

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown[]>;
  said(): string;
}
function start(
  [program = '', ...args]: readonly string[],
  customer: Customer,
  more: Readonly<Record<string, string>> = {},
): Started {
  const child = spawn(program, args, {
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      IMAGE_GATEWAY_URL: scene.product.url,
      IMAGE_GATEWAY_KEY: customer.key,
      ...more,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  return { child, ended: once(child, 'close'), said: () => said };
}
const countTasks = async (customer: Customer): Promise<number> =>
  (await customer.client.tasks()).pagination.total;
/** Task of every usage record. */
async function listCharges(customer: Customer): Promise<string[]> {
  const gateway = new ImageGateway({ baseUrl: scene.product.url, apiKey: customer.key });
  const tasks: string[] = [];
  for await (const { task_id: task } of gateway.usage({ per_page: 100 })) {
    tasks.push(task);
  }
  return tasks;
}

test('the web example keeps its key, shows visitors only what is theirs, and takes signed webhooks only', async () => {
  const customer = await scene.customer();
  const { said } = start([process.execPath, path.join(examples, 'web/server.mjs')], customer, {
    PORT: '0',
    IMAGE_GATEWAY_WEBHOOK_SECRET: SECRET,
  });
  const url = await eventually(() => {
    expect(said()).toMatch(/^http:\/\/localhost:\d+\n/);
    return said().trim();
  });
  const page = await fetch(url);
  const html = await page.text();
  expect(html).not.toContain(customer.key);
  const [cookie = ''] = (page.headers.get('set-cookie') ?? '').split(';');
  for (const file of ['index.js', 'client.js', 'transport.js']) {
    expect((await fetch(`${url}/client/${file}`)).headers.get('content-type')).toMatch(/^text\/javascript/);
  }
  const visitor = (value: string) =>
    new ImageGateway({ baseUrl: `${url}/images`, headers: { cookie: value } });
  const gateway = visitor(cookie);
  const inputImage = await sharp({ create: { width: 32, height: 32, channels: 3, background: '#204080' } })
    .jpeg()
    .toBuffer();
  const uploaded = await gateway.files.upload(inputImage);
  const request = { model: 'nanobanana', prompt: 'sandbox:fixed', image_urls: [uploaded.url] };
  const task = await gateway.subscribe(request);
  expect(task).toMatchObject({ type: 'image_edit', cost: '$0.0100' });
  const showGallery = async (value: string) =>
    (await (await fetch(`${url}/gallery`, { headers: { cookie: value } })).json()) as object[];
  expect(await showGallery(cookie)).toEqual([{ id: task.id, url: task.output.url, told: false }]);

  const stranger = 'visitor=00000000-0000-4000-8000-000000000000';
  expect(await showGallery(stranger)).toEqual([]);
  await expect(visitor(stranger).tasks.get(task.id)).rejects.toMatchObject({ status: 404 });
  await expect(gateway.account()).rejects.toMatchObject({ status: 404 });

  const body = JSON.stringify({ type: 'task.completed', timestamp: task.completed_at, data: task });
  const sign = (secret: string) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', new Date(), body),
  });
  const post = async (headers: Record<string, string>) =>
    (await fetch(`${url}/hooks/images`, { method: 'POST', headers, body })).status;
  expect(await post(sign(`whsec_${Buffer.alloc(32, 4).toString('base64')}`))).toBe(400);
  expect(await post({})).toBe(400);
  expect(await showGallery(cookie)).toMatchObject([{ told: false }]);
  expect(await post(sign(SECRET))).toBe(204);
  expect(await showGallery(cookie)).toMatchObject([{ told: true }]);
});

(chromium === null ? test.skip : test)(
  'the web example draws and edits in a browser, whose page never sees the key',
  async () => {
    const customer = await scene.customer();
    const command = [process.execPath, path.join(examples, 'web/server.mjs')];
    const { said } = start(command, customer, { PORT: '0', IMAGE_GATEWAY_WEBHOOK_SECRET: SECRET });
    const url = await eventually(() => {
      expect(said()).toMatch(/^http:/);
      return said().trim();
    });
    const browser = await launchBrowser(chromium ?? '');
    try {
      const page = await browser.newPage();
      const told: string[] = [];
      const asked: string[] = [];
      page.on('console', (message) => told.push(message.text()));
      page.on('pageerror', (error) => told.push(error.message));
      page.on('request', (request) =>
        asked.push(`${request.url()} ${JSON.stringify(request.headers())} ${request.postData() ?? ''}`),
      );
      await page.goto(url);
      const draw = async (images: number): Promise<void> => {
        await page.fill('textarea', `a red fox ${images}`);
        await page.click('button');
        await page.getByText('Done for $0.0100.').waitFor();
        await page.waitForFunction(
          `[...document.querySelectorAll('#gallery img')].filter((one) => one.naturalWidth > 0).length === ${images}`,
        );
      };
      await draw(1);
      const image = await sharp({ create: { width: 32, height: 32, channels: 3, background: '#204080' } })
        .png()
        .toBuffer();
      await page.setInputFiles('input[type=file]', { name: 'own.png', mimeType: 'image/png', buffer: image });
      await draw(2);
      const { items } = await customer.client.tasks();
      expect(items.map(({ type }) => type)).toEqual(['image_edit', 'image_generate']);
      expect(told.filter((text) => !text.includes('favicon') && !text.includes('404'))).toEqual([]);
      expect(asked.length).toBeGreaterThan(5);
      expect(asked.filter((text) => text.includes(customer.key))).toEqual([]);
      expect(await page.content()).not.toContain(customer.key);
    } finally {
      await browser.close();
    }
  },
);

(hasPython ? test : test.skip)(
  `the batch example is killed three times on its way through ${ROWS} rows, and buys every row once`,
  async () => {
    const customer = await scene.customer();
    const prompts = path.join(folder, 'prompts.csv');
    const out = path.join(folder, 'out');
    const [head, ...lines] = (await readFile(path.join(examples, 'batch/prompts.csv'), 'utf8')).split('\n');
    // The last rows take long: the third kill meets a run that is not done.
    const rows = lines.slice(0, ROWS).map((line, row) => {
      const delay = row < ROWS - 4 ? 300 : 3_000;
      return line.replace('"', `"sandbox:fixed sandbox:delay=${delay} `);
    });
    expect(rows).toHaveLength(ROWS);
    await writeFile(prompts, `${head}\n${rows.join('\n')}\n`);
    const command = [python, path.join(examples, 'batch/batch.py'), prompts, out];
    const listImages = async (): Promise<string[]> =>
      (await readdir(out).catch(() => [])).filter((name) => /^\d+[.](png|jpg|webp)$/.test(name));
    for (const share of KILLED_AT) {
      const run = start(command, customer, pythonEnvironment);
      await eventually(async () => expect((await listImages()).length).toBeGreaterThanOrEqual(ROWS * share), {
        withinMs: 200_000,
      });
      run.child.kill('SIGKILL');
      expect(await run.ended).toEqual([null, 'SIGKILL']);
    }
    const last = start(command, customer, pythonEnvironment);
    expect(await last.ended).toEqual([0, null]);

    // Every row has one whole image, of a task of its own, and each task was charged once.
    const journal = (await readFile(path.join(out, 'journal.csv'), 'utf8')).split(/\r?\n/);
    const kept = journal.filter((line) => line.endsWith(',.')).map((line) => line.split(',')[1] ?? '');
    const images = await listImages();
    const charged = await listCharges(customer);
    const [entry] = await customer.client.summary();
    expect([images.length, new Set(kept).size, await countTasks(customer), entry?.total_units]).toEqual(
      Array(4).fill(ROWS),
    );
    expect([charged.length, new Set(charged)]).toEqual([ROWS, new Set(kept)]);
    for (const name of images) {
      expect([name, (await sharp(path.join(out, name)).metadata()).format]).toEqual([name, 'png']);
    }
    const again = start(command, customer, pythonEnvironment);
    expect(await again.ended).toEqual([0, null]);
    expect([again.said().split('\n')[0], await countTasks(customer)]).toEqual([
      `${ROWS} rows, ${ROWS} are there`,
      ROWS,
    ]);
  },
  60_000 + ROWS * 1_000,
);

test('the bot example is killed before its answers arrive, started again, and buys every update once', async () => {
  const customer = await scene.customer();
  const inputImage = await sharp({ create: { width: 32, height: 32, channels: 3, background: '#802040' } })
    .jpeg()
    .toBuffer();
  const chat = { id: 7 };
  const updates = [
    { update_id: 1, message: { chat, text: '/draw sandbox:fixed' } },
    { update_id: 2, message: { chat, caption: '/edit sandbox:fixed', photo: [{ file_id: 'p' }] } },
    { update_id: 3, message: { chat, text: '/draw sandbox:fail=moderation' } },
    { update_id: 4, message: { chat, text: 'hello' } },
  ];
  let isSilent = true;
  const sent: string[] = [];
  const chats = await startServer((response, { path: asked, raw }) => {
    const method = asked.split('/').at(-1) ?? '';
    const answer = (result: unknown) => response.end(JSON.stringify({ ok: true, result }));
    if (asked.startsWith('/file/')) {
      response.end(inputImage);
    } else if (method === 'getUpdates') {
      const { offset } = JSON.parse(raw.toString()) as { offset: number };
      const news = updates.filter(({ update_id: id }) => id >= offset);
      setTimeout(() => answer(news), news.length > 0 ? 0 : 500);
    } else if (method === 'getFile') {
      answer({ file_path: 'p.jpg' });
    } else {
      sent.push(method);
      // The first bot is killed while it waits for this.
      if (!isSilent) {
        answer({});
      }
    }
  });
  try {
    const command = [process.execPath, path.join(examples, 'bot/bot.mjs')];
    const settings = { BOT_TOKEN: 't', BOT_API: chats.url('') };
    const first = start(command, customer, settings);
    await eventually(() => expect(sent.length).toBe(3));
    first.child.kill('SIGKILL');
    await first.ended;
    isSilent = false;
    const second = start(command, customer, settings);
    await eventually(() => expect(sent.length).toBe(6));
    expect([...sent].sort()).toEqual([
      ...Array<string>(2).fill('sendMessage'),
      ...Array<string>(4).fill('sendPhoto'),
    ]);
    const { items } = await customer.client.tasks();
    expect(items.map(({ type, status }) => `${type} ${status}`).sort()).toEqual([
      'image_edit completed',
      'image_generate completed',
      'image_generate failed',
    ]);
    second.child.kill('SIGKILL');
    await second.ended;
  } finally {
    await chats.close();
  }
});
