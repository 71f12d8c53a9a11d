import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Delivery } from './start-server.js';

const run = promisify(execFile);

const script = `
import base64, json, sys
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
sent = json.load(sys.stdin)
try:
    Webhook(sent["secret"]).verify(base64.b64decode(sent["body"]), sent["headers"])
    print("accepted")
except WebhookVerificationError:
    print("refused")
`;

/** Installs the reference library of Standard Webhooks for Python in a folder of its own; gives the reason where that cannot be done. */
export async function referenceInPython() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'standardwebhooks-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const install = ['-m', 'pip', 'install', '--quiet', '--target', folder, 'standardwebhooks==1.1.0'];
    await run('python3', install, { timeout: 60_000 });
  } catch (error) {
    remove();
    return String(error).split('\n')[0] ?? '';
  }
  return {
    remove,
    /** Tells if the library accepts this delivery with this secret; rejects when the library can't run. */
    async verifies({ headers, raw }: Delivery, secret: string) {
      const asked = run('python3', ['-c', script], {
        env: { ...process.env, PYTHONPATH: folder },
        timeout: 30_000,
      });
      asked.child.stdin?.end(JSON.stringify({ secret, headers, body: raw.toString('base64') }));
      return (await asked).stdout.trim() === 'accepted';
    },
  };
}
