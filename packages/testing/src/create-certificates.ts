import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Certificate of a server on this machine, signed by an authority that nobody else knows. */
export interface Certificates {
  /** Files in PEM format: the authority's certificate, the server's and its key. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
  readonly dispose: () => void;
}

/** Says whether certificates can be made here. */
export function canCreateCertificates(): boolean {
  return spawnSync('openssl', ['version']).status === 0;
}

/**
 * Makes an authority and a certificate for 127.0.0.1 and localhost with `openssl`, readable for everybody; throws Error with
 * what it said.
 */
export function createCertificates(): Certificates {
  const folder = mkdtempSync(path.join(tmpdir(), 'certificates-'));
  chmodSync(folder, 0o755);
  const file = (name: string): string => path.join(folder, name);
  const run = (...args: string[]): void => {
    const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
    if (status !== 0) {
      throw new Error(`openssl ${args[0]} failed: ${stderr}`);
    }
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const authority = file('authority.pem');
  run(
    ...['req', '-x509', ...key, '-days', '2', '-subj', '/CN=test authority'],
    '-keyout',
    file('authority.key'),
    '-out',
    authority,
  );
  run(
    ...['req', ...key, '-subj', '/CN=localhost', '-keyout', file('server.key'), '-out', file('server.csr')],
  );
  writeFileSync(file('names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  run(
    ...[
      'x509',
      '-req',
      '-in',
      file('server.csr'),
      '-days',
      '2',
      '-CA',
      authority,
      '-CAkey',
      file('authority.key'),
    ],
    ...['-CAcreateserial', '-extfile', file('names'), '-out', file('server.pem')],
  );
  chmodSync(file('server.key'), 0o644);
  return {
    authority,
    certificate: file('server.pem'),
    key: file('server.key'),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}
