import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Certificates } from './create-certificates.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { killProcess } from './kill-process.js';

/** A PgBouncer in front of a server. */
export type PgBouncer = Awaited<ReturnType<typeof startPgBouncer>>;

const PLACES = ['/usr/sbin/pgbouncer', '/usr/local/bin/pgbouncer', '/opt/homebrew/bin/pgbouncer'];

/** Returns the path of PgBouncer (Debian's package `pgbouncer`); undefined where it is not installed. */
export function findPgBouncer(): string | undefined {
  return PLACES.find((file) => existsSync(file));
}

/**
 * Starts PgBouncer in one of its modes in front of a database's server; few server connections, so that clients share them.
 * With certificates it takes TLS only, on 127.0.0.2 too.
 */
export async function startPgBouncer(
  url: string,
  mode: 'session' | 'transaction',
  certificates?: Certificates,
) {
  const program = findPgBouncer();
  if (program === undefined) {
    throw new Error('PgBouncer is not installed: apt-get install pgbouncer');
  }
  const server = new URL(url);
  const port = await freePort();
  const folder = mkdtempSync(path.join(tmpdir(), 'pgbouncer-'));
  chmodSync(folder, 0o755);
  const user = decodeURIComponent(server.username);
  const size = mode === 'session' ? 100 : 5;
  const file = path.join(folder, 'pgbouncer.ini');
  const login = `user=${user} password=${decodeURIComponent(server.password)}`;
  writeFileSync(
    file,
    `[databases]
* = host=${server.hostname} port=${server.port || 5432} ${login}
[pgbouncer]
listen_addr = 127.0.0.1${certificates ? ', 127.0.0.2' : ''}
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${path.join(folder, 'users.txt')}
pool_mode = ${mode}
default_pool_size = ${size}
max_client_conn = 400
${process.getuid?.() === 0 ? 'user = nobody' : ''}
${certificates ? renderTls(certificates) : ''}
`,
  );
  writeFileSync(path.join(folder, 'users.txt'), `"${user}" "trust"\n`);
  const child = spawn(program, ['-q', file], { stdio: 'ignore' });
  await eventually(async () => {
    const socket = net.connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  });
  const through = Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) });
  return {
    /** URL of the database through it. */
    url: through.href,
    stop: async () => {
      await killProcess(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function renderTls({ certificate, key }: Certificates): string {
  return `client_tls_sslmode = require
client_tls_cert_file = ${certificate}
client_tls_key_file = ${key}`;
}
