import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { OutboundError } from './outbound-error.js';

/** Opens a tunnel through a proxy (`CONNECT`) to the host and port of a URL. Throws OutboundError `connect` where the proxy refuses. */
export function openTunnel(proxy: URL, url: URL, signal: AbortSignal): Promise<Socket> {
  const { protocol, hostname, port, username, password } = proxy;
  const secure = protocol === 'https:';
  const target = `${url.hostname}:${url.port || '443'}`;
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  const request = (secure ? https : http).request({
    method: 'CONNECT',
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (secure ? 443 : 80),
    path: target,
    agent: false,
    signal,
    headers: {
      Host: target,
      ...(username !== '' && { 'Proxy-Authorization': `Basic ${login.toString('base64')}` }),
    },
  });
  return new Promise((resolve, reject) => {
    const refuse = (why: string): void =>
      reject(new OutboundError('connect', `the proxy ${proxy.host} opened no tunnel to ${url.host}: ${why}`));
    request.once('connect', ({ statusCode }, socket: Socket, head) => {
      // It has left the request. TLS tells its own errors.
      socket.on('error', () => undefined);
      if (statusCode === 200 && head.length === 0) {
        resolve(socket);
        return;
      }
      socket.destroy();
      refuse(`it answered ${statusCode}`);
    });
    // The answer to another method than CONNECT can't be trusted either.
    request.once('response', (response) => {
      response.destroy();
      refuse(`it answered ${response.statusCode}`);
    });
    request.once('error', (error) => refuse(error.message));
    request.end();
  });
}
