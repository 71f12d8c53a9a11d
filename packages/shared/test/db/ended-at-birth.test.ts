import { createServer } from 'node:net';
import { createDatabase } from '@image-gateway/shared/db';
import { AppError } from '@image-gateway/shared/errors';
import { listen } from '@image-gateway/testing';
import { expect, test } from '@jest/globals';

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5);
  head.write(type, 0, 'latin1');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};
const WELCOME = [message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))];
const END = message('E', Buffer.from('SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0'));

test('a session that PostgreSQL ends in the moment in which it begins ends no process', async () => {
  const server = createServer((socket) => {
    socket.once('data', () => socket.write(Buffer.concat([...WELCOME, END]), () => socket.destroy()));
  });
  const { hostPort, close } = await listen(server);
  const db = createDatabase({ url: `postgresql://a:b@${hostPort}/c`, applicationName: 'test' });
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', note);
  try {
    await expect(db.ping()).rejects.toBeInstanceOf(AppError);
    expect(uncaught).toEqual([]);
  } finally {
    process.off('uncaughtException', note);
    await db.close();
    await close();
  }
});
