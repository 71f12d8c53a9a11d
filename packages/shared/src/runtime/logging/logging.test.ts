import { describe, expect, test } from '@jest/globals';
import { newApiKey } from '../../domain/ids/index.js';
import { createLogger } from './index.js';

function logged(act: (logger: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  act(createLogger({ service: 'test', level: 'debug', write: (line) => lines.push(line) }));
  return lines.join('\n');
}

describe('the log', () => {
  test('a line is one JSON object with level, message, service and time', () => {
    const line = logged((logger) => logger.child({ taskId: 'gen_1' }).info('hello', { ms: 3 }));
    expect(JSON.parse(line)).toMatchObject({
      level: 'info',
      message: 'hello',
      service: 'test',
      taskId: 'gen_1',
      ms: 3,
    });
    expect(JSON.parse(line)).toHaveProperty('timestamp');
  });

  test('secrets planted in fields, texts, URLs, errors and causes do not show', () => {
    const { key } = newApiKey();
    const planted = 'pl4nted';
    const text = logged((logger) => {
      logger.info(`header Authorization: Bearer ${planted} and key ${key}`);
      logger.info('fields', {
        headers: { authorization: `Bearer ${planted}`, cookie: planted, 'x-api-key': planted },
        prompt: planted,
        image_urls: [planted],
        nested: { list: [{ password: planted }] },
        url: `https://user:${planted}@host.example/a?sig=${planted}#${planted}`,
        database: `postgresql://u:${planted}@127.0.0.1:5432/x`,
        link: new URL(`https://user:${planted}@host.example/b?sig=${planted}`),
        own: { toJSON: () => ({ token: planted }) },
      });
      const cause = new Error(`GET https://h.example/x?token=${planted} failed for whsec_${planted}`);
      logger.error('failed', { error: new Error(`key gw_live_${planted}`, { cause }) });
    });
    expect(text).not.toContain(planted);
    expect(text).not.toContain(key);
    expect(text).toContain('host.example/a');
    expect(text).toContain('host.example/b');
  });

  test('what is logged is not changed', () => {
    const fields = { token: 'kept', nested: { url: 'https://h.example/?kept' } };
    logged((logger) => logger.info('fields', fields));
    expect(fields).toEqual({ token: 'kept', nested: { url: 'https://h.example/?kept' } });
  });

  test('odd values do not break a line', () => {
    const loop: Record<string, unknown> = {};
    loop.self = loop;
    const text = logged((logger) =>
      logger.info('odd', { loop, big: 1n, bytes: Buffer.alloc(3), none: undefined, nil: null }),
    );
    expect(JSON.parse(text)).toMatchObject({ big: '1', bytes: '[3 bytes]', nil: null });
  });
});
