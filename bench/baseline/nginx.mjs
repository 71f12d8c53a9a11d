// nginx as a proxy in front of an object store: passes path and query on. Clients bring a signature in the query.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const { PORT, S3_ENDPOINT } = process.env;
const { host } = new URL(S3_ENDPOINT);
const folder = mkdtempSync(path.join(os.tmpdir(), 'image-gateway-nginx-'));
const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  .map((name) => `${name}_temp_path ${folder}/${name};`)
  .join('\n  ');
writeFileSync(
  path.join(folder, 'nginx.conf'),
  `pid ${folder}/nginx.pid;
error_log stderr;
daemon off;
worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary}
  upstream store { server ${host}; keepalive 64; }
  server {
    listen 127.0.0.1:${PORT};
    location = /healthz { return 200; }
    location / {
      proxy_pass http://store;
      proxy_http_version 1.1;
      proxy_set_header Host ${host};
      proxy_set_header Connection "";
    }
  }
}
`,
);
const child = spawn('nginx', ['-p', folder, '-c', path.join(folder, 'nginx.conf'), '-e', 'stderr'], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
process.on('SIGTERM', () => child.kill());
child.on('error', () => process.exit(1));
child.on('exit', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit();
});
