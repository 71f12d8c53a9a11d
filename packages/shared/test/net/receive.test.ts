import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@image-gateway/testing';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type BodyReceiver, type CallResponse, createOutbound } from '../../src/runtime/outbound/index.js';
import { startHttp, type TestServer } from './servers.js';

const running: TestServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});
const LARGE = Buffer.alloc(8 * 1024 * 1024, 'x');

async function call(
  handler: Parameters<typeof startHttp>[0],
  receive: BodyReceiver,
  options: { readonly timeoutMs: number },
): Promise<CallResponse> {
  const server = await startHttp(handler);
  running.push(server);
  const url = server.origin;
  const outbound = createOutbound({ allow: new Set([new URL(url).host]) });
  return outbound.request({ method: 'GET', url, maxBytes: 2 * LARGE.length, receive, ...options });
}
const ignore = (): Promise<void> => Promise.resolve();

describe('a body that is passed on as it comes', () => {
  test('a body that is passed on as it comes costs the other side nothing while we have no room for it', async () => {
    let bytes = 0;
    let waits = 2;
    const write = async (chunk: Buffer): Promise<void> => {
      bytes += chunk.length;
      if (waits-- > 0) {
        await sleep(900);
      }
    };
    const answer = await call(
      (_, response) => response.end(LARGE),
      { write, silenceMs: 600 },
      { timeoutMs: 800 },
    );
    expect([answer.status, answer.bytes.length, bytes]).toEqual([200, 0, LARGE.length]);
  });

  test('a body that is passed on as it comes may take as long once more as its head', async () => {
    const handler: Parameters<typeof startHttp>[0] = (_, response) => {
      setTimeout(() => response.write('head and beginning'), 500);
      setTimeout(() => response.end('end'), 1_000);
    };
    await expect(call(handler, { write: ignore, silenceMs: 800 }, { timeoutMs: 800 })).resolves.toBeDefined();
  });

  test.each([
    ['before its head', { silent: 'before', silenceMs: 60_000, timeoutMs: 200 }, undefined],
    ['in its middle', { silent: 'within', silenceMs: 200, timeoutMs: 60_000 }, 200],
    ['never, but for too long in all', { silent: 'never', silenceMs: 60_000, timeoutMs: 300 }, 200],
  ] as const)(
    'a body that is passed on as it comes ends when the other side is silent %s',
    async (_, { silent, ...terms }, status) => {
      let timer: NodeJS.Timeout | undefined;
      const called = call(
        (_request, response) => {
          if (silent !== 'before') {
            response.write('beginning');
          }
          if (silent === 'never') {
            timer = setInterval(() => response.write('.'), 20);
          }
        },
        { write: ignore, silenceMs: terms.silenceMs },
        { timeoutMs: terms.timeoutMs },
      );
      await expect(called).rejects.toMatchObject({ reason: 'timeout', sent: true, status });
      clearInterval(timer);
    },
  );

  test('a body that is passed on as it comes ends with what the receiver throws, and its connection with it', async () => {
    const write = () => Promise.reject(new Error('no room'));
    await expect(
      call((_, response) => response.end(LARGE), { write, silenceMs: 60_000 }, { timeoutMs: 60_000 }),
    ).rejects.toThrow('no room');
    await eventually(async () => expect(running[0]?.open()).toBe(0));
  });

  test('a body that is passed on as it comes is passed on one piece at a time', async () => {
    let writing = 0;
    let atOnce = 0;
    const write = async (): Promise<void> => {
      atOnce = Math.max(atOnce, ++writing);
      await sleep(1);
      writing -= 1;
    };
    await call((_, response) => response.end(LARGE), { write, silenceMs: 60_000 }, { timeoutMs: 60_000 });
    expect(atOnce).toBe(1);
  });

  test.each([
    ['announced', { 'Content-Length': '100' }],
    ['chunked', {}],
  ])(
    'a body that is passed on as it comes and is cut off has failed, with all before its end passed on: %s',
    async (_, head) => {
      let text = '';
      const write = async (chunk: Buffer): Promise<void> => {
        text += chunk.toString();
      };
      const called = call(
        (_request, response) => {
          response.writeHead(200, head).write('beginning');
          setTimeout(() => response.destroy(), 100);
        },
        { write, silenceMs: 60_000 },
        { timeoutMs: 60_000 },
      );
      await expect(called).rejects.toMatchObject({ reason: 'broken', sent: true, status: 200 });
      expect(text).toBe('beginning');
    },
  );

  test('a body that is passed on as it comes ends with the connection when nothing else says its length', async () => {
    let bytes = 0;
    const write = async (chunk: Buffer): Promise<void> => {
      bytes += chunk.length;
    };
    await call(
      (_, response) => {
        response.socket?.end(Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), LARGE]));
      },
      { write, silenceMs: 60_000 },
      { timeoutMs: 60_000 },
    );
    expect(bytes).toBe(LARGE.length);
  });
});
