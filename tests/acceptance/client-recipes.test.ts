import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import { type Customer, openSharedScene, type Scene } from './support/scene.js';
import { preparePython, python, pythonEnvironment } from './support/start-driver.js';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const clients = path.join(root, 'docs/clients');
// Packages and Node of other versions than those of the project, where both are named.
const packages = process.env.CLIENT_PACKAGES ?? path.join(root, 'node_modules');
const hasPythonPackage = await run('python3', ['-c', 'import openai']).then(
  () => true,
  () => false,
);
const hasOwnPython = await preparePython();

let scene: Scene;
let customer: Customer;
let folder: string;
beforeAll(async () => {
  scene = await openSharedScene();
  customer = await scene.customer();
  folder = await mkdtemp(path.join(tmpdir(), 'image-gateway-clients-'));
  await symlink(packages, path.join(folder, 'node_modules'));
}, 700_000);
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await scene.audit();
});

/** Code blocks of a page, as they stand. */
async function readBlocks(page: string, language: string): Promise<string[]> {
  const text = await readFile(path.resolve(clients, page), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
    ([, code = '']) => code,
  );
}

const PROGRAMS: Readonly<Record<string, readonly [program: string, file: string]>> = {
  sh: ['bash', 'recipe.sh'],
  js: ['node', 'recipe.mjs'],
  python: ['python3', 'recipe.py'],
  client: [python, 'recipe.py'],
};
async function runBlock(language: string, code: string): Promise<void> {
  const [program = '', file = ''] = PROGRAMS[language] ?? [];
  await writeFile(path.join(folder, file), language === 'sh' ? `set -euo pipefail\n${code}` : code);
  const env = {
    ...process.env,
    GATEWAY_URL: scene.product.url,
    GATEWAY_KEY: customer.key,
    IMAGE_GATEWAY_URL: scene.product.url,
    IMAGE_GATEWAY_KEY: customer.key,
    ...(language === 'client' && pythonEnvironment),
    NODE_OPTIONS: '',
  };
  await run(program, [file], { cwd: folder, env, timeout: 60_000 });
}
/** Runs the code of a README of our clients, which edits an image on one's own disk. */
async function runReadme(language: string, blocks: readonly string[]): Promise<void> {
  const own = path.join(folder, 'fox.png');
  await sharp({ create: { width: 320, height: 180, channels: 3, background: '#c40' } })
    .png()
    .toFile(own);
  for (const block of blocks) {
    await runBlock(language, block);
  }
  await rm(own);
}
const SIGNATURES: Readonly<Record<string, string>> = {
  png: '89504e47',
  jpg: 'ffd8ff',
  jpeg: 'ffd8ff',
  webp: '52494646',
};
/** Removes the images that a recipe wrote and returns their sizes; throws for one whose name says another format. */
const sizes = async (): Promise<number[]> => {
  const names = (await readdir(folder)).filter((name) =>
    Object.keys(SIGNATURES).some((one) => name.endsWith(`.${one}`)),
  );
  return Promise.all(
    names.map(async (name) => {
      const file = path.join(folder, name);
      const bytes = await readFile(file);
      expect([name, bytes.toString('hex', 0, 4)]).toEqual([
        name,
        expect.stringMatching(`^${SIGNATURES[path.extname(name).slice(1)]}`),
      ]);
      await rm(file);
      return bytes.length;
    }),
  );
};

describe('the recipes of docs/clients', () => {
  test.each([
    ['curl.md', 'sh', 2],
    ['openai-typescript.md', 'js', 3],
    ['ai-sdk.md', 'js', 5],
  ] as const)('the code of %s runs as it stands', async (page, language, images) => {
    const blocks = await readBlocks(page, language);
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) {
      await runBlock(language, block);
    }
    const written = await sizes();
    expect(written).toHaveLength(images);
    expect(Math.min(...written)).toBeGreaterThan(1_000);
  });

  (hasPythonPackage ? test : test.skip)('the code of openai-python.md runs as it stands', async () => {
    for (const block of await readBlocks('openai-python.md', 'python')) {
      await runBlock('python', block);
    }
    expect(await sizes()).toHaveLength(2);
  });
});

test('the code in the README of the TypeScript client runs as it stands', async () => {
  await runReadme('js', await readBlocks('../../clients/typescript/README.md', 'js'));
  expect(await sizes()).toHaveLength(2);
});

(hasOwnPython ? test : test.skip)(
  'the code in the README of the Python client runs as it stands',
  async () => {
    await runReadme('client', await readBlocks('../../clients/python/README.md', 'python'));
    expect(await sizes()).toHaveLength(2);
  },
);

describe('settings of applications, with the requests that they send', () => {
  const png = new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47])], { type: 'image/png' });
  /** Reads the address of a page's settings, with the variables filled in. */
  const readAddress = async (page: string, language = 'env'): Promise<string> => {
    const [settings = ''] = await readBlocks(page, language);
    const [, address = ''] = /^\w*(?:base_?url)\w*(?:=|: )(\S+)$/im.exec(settings) ?? [];
    return address.replace('$GATEWAY_URL', scene.product.url);
  };
  const post = async (url: string, body: object | FormData) => {
    const isForm = body instanceof FormData;
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${customer.key}`,
        ...(!isForm && { 'content-type': 'application/json' }),
      },
      body: isForm ? body : JSON.stringify(body),
    });
    const json = (await response.json()) as {
      data?: { b64_json?: string }[];
      size?: string;
      error?: { message: string };
    };
    return { status: response.status, json };
  };
  const form = (fields: Readonly<Record<string, string | Blob>>): FormData => {
    const made = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'string') {
        made.append(name, value);
      } else {
        made.append(name, value, 'image.png');
      }
    }
    return made;
  };

  test('Open WebUI: its default model and size, and an edit whose values are texts', async () => {
    const base = await readAddress('open-webui.md');
    const body = { model: 'dall-e-2', prompt: 'a fox', n: 1, size: '512x512', response_format: 'b64_json' };
    const drawn = await post(`${base}/images/generations`, body);
    expect([drawn.status, drawn.json.size, drawn.json.data?.length]).toEqual([200, '1280x1280', 1]);
    const image = new Blob([Buffer.from(drawn.json.data?.[0]?.b64_json ?? '', 'base64')], {
      type: 'image/png',
    });
    const edited = await post(`${base}/images/edits`, form({ ...body, n: '1', 'image[]': image }));
    expect([edited.status, edited.json.data?.length]).toEqual([200, 1]);
  });

  test('LibreChat: values that are auto, and fields that change nothing', async () => {
    const base = await readAddress('librechat.md');
    const auto = {
      size: 'auto',
      quality: 'auto',
      background: 'auto',
      output_format: 'png',
      moderation: 'auto',
    };
    const drawn = await post(`${base}/images/generations`, {
      model: 'gpt-image-1',
      prompt: 'sandbox:fixed',
      n: 2,
      ...auto,
    });
    expect([drawn.status, drawn.json.data?.length]).toEqual([200, 2]);
  });

  test('n8n: models by the part of their name that it looks for, and a square image', async () => {
    const base = await readAddress('n8n.md');
    const headers = { authorization: `Bearer ${customer.key}` };
    const { data } = (await (await fetch(`${base}/models`, { headers })).json()) as {
      data: { id: string }[];
    };
    const shown = data.map(({ id }) => id).filter((id) => id.includes('dall-e') || id.includes('gpt-image'));
    expect(shown.length).toBeGreaterThan(2);
    const drawn = await post(`${base}/images/generations`, {
      model: shown[0],
      prompt: 'a fox',
      size: '1024x1024',
    });
    expect([drawn.status, drawn.json.size]).toEqual([200, '1280x1280']);
  });

  test('InvokeAI: no model, and any size', async () => {
    const base = await readAddress('invokeai.md', 'yaml');
    const body = { prompt: 'a fox', n: 1, size: '832x1216', response_format: 'b64_json' };
    const drawn = await post(`${base}/v1/images/generations`, body);
    expect([drawn.status, drawn.json.size]).toEqual([200, '853x1280']);
  });

  test('a file that is no image fails with its reason, and is not repeated', async () => {
    const base = await readAddress('open-webui.md');
    const { status, json } = await post(`${base}/images/edits`, form({ prompt: 'x', image: png }));
    expect([status, json.error?.message]).toEqual([400, 'image[0]: is not a PNG, JPEG or WebP image']);
  });
});
