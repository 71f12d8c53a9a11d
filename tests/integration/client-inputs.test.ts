import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import sharp from 'sharp';
import {
  type ClientName,
  type Driver,
  type Outcome,
  preparePython,
  python,
  pythonEnvironment,
  startDriver,
} from '../acceptance/support/start-driver.js';

const execute = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const KEY = 'gw_live_secret';
const RATIOS = ['16:9', '9:16'];

/** Request as the stub of a gateway met it. */
interface Met {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly key: string | undefined;
}

const met: Met[] = [];
let server: Server;
let url: string;
let folder: string;
let file: string;
const hasPython = await preparePython();
const CLIENTS: readonly ClientName[] = hasPython ? ['TypeScript', 'Python', 'Python async'] : ['TypeScript'];
const drivers = new Map<ClientName, Driver>();

/** Answers as a gateway; below `/moved/STATUS` it redirects to itself, below `/away` to another name of the same address. */
function answer(
  { method = '', url: asked = '', headers }: IncomingMessage,
  body: string,
  response: ServerResponse,
) {
  met.push({ method, url: asked, body, key: headers.authorization });
  const send = (status: number, data: unknown, more: Readonly<Record<string, string>> = {}) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...more })
      .end(JSON.stringify({ data, error: null }));
  const moved = /^\/moved\/(\d+)(\/.*)$/.exec(asked);
  if (moved) {
    send(Number(moved[1]), null, { location: moved[2] ?? '' });
  } else if (asked.startsWith('/away/')) {
    send(308, null, { location: `${url.replace('127.0.0.1', 'localhost')}${asked.slice('/away'.length)}` });
  } else if (asked === '/v1/models') {
    send(200, [
      { id: 'two', aspect_ratios: RATIOS },
      { id: 'three', aspect_ratios: [...RATIOS, '1:1'] },
    ]);
  } else if (asked === '/v1/generate') {
    const isFull = body.includes('steps');
    send(202, { id: 'gen_1', status: 'pending' }, isFull ? { 'x-gateway-ignored': 'n, steps' } : {});
  } else {
    send(200, { id: 'file_1' });
  }
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'image-gateway-client-inputs-'));
  file = path.join(folder, 'photo.jpg');
  await writeFile(file, await draw(90, 60, 6));
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, Buffer.concat(chunks).toString('latin1'), response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const client of CLIENTS) {
    drivers.set(client, startDriver(client, { url, key: KEY }));
  }
}, 200_000);
afterAll(async () => {
  await Promise.all([...drivers.values()].map((driver) => driver.close()));
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  met.length = 0;
});

/** Draws a JPEG image whose Exif data has an orientation. */
const draw = (width: number, height: number, orientation: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#804020' } })
    .jpeg()
    .withMetadata({ orientation })
    .toBuffer();
const toUrl = (bytes: Buffer, type = 'jpeg'): string =>
  `data:image/${type};base64,${bytes.toString('base64')}`;
const ask = (
  client: ClientName,
  name: string,
  args: Readonly<Record<string, unknown>> = {},
): Promise<Outcome> => {
  const driver = drivers.get(client);
  if (!driver) {
    throw new Error(`${client} was not started`);
  }
  return driver.call(name, args);
};
const sentRatio = (): unknown =>
  (JSON.parse(met.at(-1)?.body ?? '{}') as { readonly aspect_ratio?: unknown }).aspect_ratio;

describe.each(CLIENTS)('the %s client', (client) => {
  test.each(['', '/', '/v1', '/v1/', '/openai/v1', ' \n'])(
    'asks the right address with the right key for a base URL that ends with "%s" and a key with a line end',
    async (ending) => {
      const options = { base_url: `${url}${ending}`, api_key: `${KEY}\n` };
      expect((await ask(client, 'account', { options })).error).toBeUndefined();
      expect(met).toMatchObject([{ url: '/v1/account', key: `Bearer ${KEY}` }]);
    },
  );

  test.each([
    ['the key as the address', { base_url: KEY }],
    ['a key with a blank', { api_key: `${KEY} x` }],
    ['a header with a line end', { headers: { 'X-Own': `${KEY}\nx` } }],
    ['a port that no client may use', { base_url: 'http://127.0.0.1:70000' }],
  ])('refuses %s at once, and prints no secret', async (_, options) => {
    const { error } = await ask(client, 'account', { options });
    expect(error?.name).toBe('ImageGatewayError');
    expect(error?.message).not.toContain(KEY);
    expect(met).toEqual([]);
  });

  test('says which fields of a request the gateway ignored', async () => {
    const request = { model: 'two', prompt: 'x', n: 2, steps: 9 };
    const { said } = await ask(client, 'submit', { request });
    expect(said).toEqual([expect.stringMatching(/ignored.*: n, steps\./)]);
    const silent = await ask(client, 'submit', { request: { model: 'two', prompt: 'x' } });
    expect(silent.said).toBeUndefined();
  });

  test.each([301, 302, 303])(
    'makes no read of a submit behind a %i, and names the new address',
    async (status) => {
      const options = { base_url: `${url}/moved/${status}` };
      const { error } = await ask(client, 'submit', { options, request: { model: 'two', prompt: 'x' } });
      expect(error).toMatchObject({ name: 'ApiError', status });
      expect(error?.message).toMatch(new RegExp(`set base_?url to ${url}\\.$`, 'i'));
      expect(met).toHaveLength(1);
    },
  );

  test.each([307, 308])('sends a submit and an upload on as they are behind a %i', async (status) => {
    const options = { base_url: `${url}/moved/${status}`, submit_timeout: 5 };
    const request = { model: 'two', prompt: 'x' };
    expect((await ask(client, 'submit', { options, request })).error).toBeUndefined();
    expect(met.at(-1)).toMatchObject({
      method: 'POST',
      url: '/v1/generate',
      body: expect.stringContaining('two'),
    });
    expect((await ask(client, 'uploadPath', { options, file })).error).toBeUndefined();
    expect(met.at(-1)).toMatchObject({
      method: 'POST',
      url: '/v1/files',
      body: expect.stringContaining('Exif'),
    });
  });

  test.each(['account', 'submit'])('sends no key to another server, and names it (%s)', async (name) => {
    const options = { base_url: `${url}/away` };
    const { error } = await ask(client, name, { options, request: { model: 'two', prompt: 'x' } });
    expect(error).toMatchObject({ name: 'ApiError', status: 308 });
    expect(error?.message).toMatch(/set base_?url to http:\/\/localhost:\d+\.$/i);
    expect(met).toHaveLength(1);
  });

  test('asks for the ratio that is nearest to the first image as it is shown, and says so where there is none', async () => {
    const edit = async (model: string, image: string, more: object = {}) => {
      const request = { model, prompt: 'x', image_urls: [image], ...more };
      const { said } = await ask(client, 'submit', { request });
      return [sentRatio(), said?.length ?? 0];
    };
    expect(await edit('two', toUrl(await draw(90, 60, 1)))).toEqual(['16:9', 0]);
    expect(await edit('two', toUrl(await draw(90, 60, 6)))).toEqual(['9:16', 0]);
    for (const format of ['png', 'webp'] as const) {
      const upright = sharp({ create: { width: 60, height: 90, channels: 4, background: '#804020' } });
      expect(await edit('two', toUrl(await upright.toFormat(format).toBuffer(), format))).toEqual([
        '9:16',
        0,
      ]);
    }
    expect(await edit('three', toUrl(await draw(80, 80, 1)))).toEqual(['1:1', 0]);
    expect(await edit('two', toUrl(await draw(80, 80, 1)))).toEqual([undefined, 1]);
    expect(await edit('two', toUrl(await draw(60, 90, 1)), { aspect_ratio: '16:9' })).toEqual(['16:9', 0]);
    expect(await edit('two', 'https://elsewhere.example/fox.png')).toEqual([undefined, 0]);
    expect(await edit('two', 'data:image/png;base64,AAAA')).toEqual([undefined, 0]);
  });
});

const runPython = async (code: string, more: Readonly<Record<string, string>> = {}): Promise<string> => {
  const env = { ...process.env, ...pythonEnvironment, ...more, URL: url };
  const { stdout } = await execute(python, ['-W', 'error', '-c', code], { env, timeout: 60_000 });
  return stdout.trim();
};
const inPython = hasPython ? test : test.skip;

inPython('one async client works in two event loops, one after the other', async () => {
  const code = `
import asyncio, os
from image_gateway import AsyncImageGateway
gateway = AsyncImageGateway(base_url=os.environ["URL"], api_key="k")
async def main():
    await gateway.account()
    await gateway.close()
asyncio.run(main())
asyncio.run(main())
print("twice")`;
  expect(await runPython(code)).toBe('twice');
});

inPython('a client that nobody closes leaves no connection open', async () => {
  const code = `
import os
from image_gateway import ImageGateway
gateway = ImageGateway(base_url=os.environ["URL"], api_key="k")
gateway.account()
print("done")`;
  expect(await runPython(code)).toBe('done');
});

inPython('the Python client uploads what holds bytes, wherever a file was read to', async () => {
  const code = `
import io, os
from image_gateway import ImageGateway, ImageGatewayError
gateway = ImageGateway(base_url=os.environ["URL"], api_key="k")
photo = open(${JSON.stringify(file)}, "rb").read()
ended = io.BytesIO()
ended.write(photo)
class Picture:
    mode = "RGB"
    def save(self, fp, format=None):
        fp.write(photo)
for image in (bytearray(photo), memoryview(photo), ended, Picture()):
    gateway.files.upload(image)
for wrong in (b"", io.StringIO("text"), 7):
    try:
        gateway.files.upload(wrong)
    except ImageGatewayError as error:
        print(error)`;
  expect((await runPython(code)).split('\n')).toEqual([
    'The image is empty.',
    expect.stringMatching(/^An image is bytes, a path/),
    expect.stringMatching(/^An image is bytes, a path/),
  ]);
  expect(met.map(({ body }) => body.length)).toEqual(Array<number>(4).fill(met[0]?.body.length ?? 0));
});

inPython('proxies that httpx cannot read are named, with a way out', async () => {
  const code = `
from image_gateway import ImageGateway, ImageGatewayError
try:
    ImageGateway(base_url="http://127.0.0.1")
except ImageGatewayError as error:
    print(error)`;
  const said = await runPython(code, { NO_PROXY: 'localhost,[::1]' });
  expect(said).toMatch(/NO_PROXY.*http_client=/);
});

test('the command line names the variable that is missing', async () => {
  const env = { PATH: process.env.PATH, IMAGE_GATEWAY_URL: url };
  const cli = path.join(root, 'clients/typescript/dist/cli.js');
  const ran = execute(process.execPath, [cli, 'generate', 'a fox'], { env });
  await expect(ran).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Set IMAGE_GATEWAY_KEY/),
  });
  expect(met).toEqual([]);
});
