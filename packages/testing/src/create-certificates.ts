import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Certificate of a server on this machine, signed by an authority that nobody else knows. */
export type Certificates = ReturnType<typeof createCertificates>;

/** Says whether certificates can be made here. */
export function canCreateCertificates(): boolean {
  return spawnSync('openssl', ['version']).status === 0;
}

/**
 * Makes an authority and a certificate for 127.0.0.1 and localhost with `openssl`, readable for everybody; throws Error with
 * what it said.
 */
export function createCertificates() {
  const folder = mkdtempSync(path.join(tmpdir(), 'certificates-'));
  chmodSync(folder, 0o755);
  const file = (name: string): string => path.join(folder, name);
  /** Runs openssl with arguments, among which `<name>` stands for a file of the folder. */
  const openssl = (line: string): void => {
    const args = line.split(' ').map((word) => word.replace(/^<(.*)>$/, (_, name: string) => file(name)));
    const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
    if (status !== 0) {
      throw new Error(`openssl ${args[0]} failed: ${stderr}`);
    }
  };
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';
  openssl(`req -x509 ${key} -days 2 -subj /CN=authority -keyout <authority.key> -out <authority.pem>`);
  openssl(`req ${key} -subj /CN=localhost -keyout <server.key> -out <server.csr>`);
  writeFileSync(file('names'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  const signed = '-CA <authority.pem> -CAkey <authority.key> -CAcreateserial';
  openssl(`x509 -req -in <server.csr> -days 2 ${signed} -extfile <names> -out <server.pem>`);
  chmodSync(file('server.key'), 0o644);
  // Files in PEM format: the authority's certificate, the server's and its key.
  return {
    authority: file('authority.pem'),
    certificate: file('server.pem'),
    key: file('server.key'),
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}
