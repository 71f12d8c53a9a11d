import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { createLogger } from '../logging/index.js';
import { notifyServiceManager } from './notify-service-manager.js';

/** Socket of a service manager, which prints what it receives. Node has no datagram sockets in the file system. */
const RECEIVER = `
import os, socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print('bound', flush=True)
text = ''
while 'STOPPING=1' not in text:
    message, files, _, _ = socket.recv_fds(receiver, 4096, 4)
    text += message.decode()
    # The sender waits until this end is closed: then its message has been read.
    for file in files:
        os.close(file)
print(text, flush=True)
`;
const has = (program: string): boolean => spawnSync(program, ['--version']).error === undefined;
const canTry = has('systemd-notify') && has('python3');

let receiver: ChildProcess | undefined;
afterEach(() => {
  receiver?.kill();
});

(canTry ? test : test.skip)('systemd hears when a process is ready, and when it ends', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'notify-'));
  const NOTIFY_SOCKET = path.join(folder, 'socket');
  const child = spawn('python3', ['-c', RECEIVER, NOTIFY_SOCKET]);
  receiver = child;
  const closed = once(child, 'close');
  let output = '';
  child.stdout.on('data', (piece: Buffer) => {
    output += piece.toString();
  });
  while (!output.includes('bound')) {
    await once(child.stdout, 'data');
  }
  const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
  await notifyServiceManager('ready', { logger, env: { ...process.env, NOTIFY_SOCKET } });
  await notifyServiceManager('stopping', { logger, env: { ...process.env, NOTIFY_SOCKET } });
  await closed;
  expect(output).toContain('READY=1');
  expect(output).toContain(`MAINPID=${process.pid}`);
  expect(output).toContain('STOPPING=1');
  fs.rmSync(folder, { recursive: true });
});

test('a socket that nobody reads costs a line of the log, and no process is started without one', async () => {
  const lines: string[] = [];
  const logger = createLogger({ service: 'test', level: 'warn', write: (line) => lines.push(line) });
  await notifyServiceManager('ready', { logger, env: { PATH: '/nowhere' } });
  expect(lines).toEqual([]);
  await notifyServiceManager('ready', { logger, env: { PATH: '/nowhere', NOTIFY_SOCKET: '/nowhere' } });
  expect(lines).toHaveLength(1);
});
