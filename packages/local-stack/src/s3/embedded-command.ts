import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from '../process/supervise.js';
import type { S3Options } from './s3-options.js';

/** Where the built entry is, also when this runs from its source in a test. */
const main = fileURLToPath(new URL('./main.js', import.meta.url)).replace(
  `${path.sep}src${path.sep}s3${path.sep}`,
  `${path.sep}dist${path.sep}s3${path.sep}`,
);

/** How the embedded server is started. */
export function embeddedCommand(options: S3Options, folder: string): Command {
  const { port, bucket, accessKey, secretKey, durable, parentPid } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const args = [main, '--folder', folder, '--port', String(port), '--bucket', bucket];
  if (!durable) args.push('--throwaway');
  if (parentPid !== undefined) args.push('--parent', String(parentPid));
  return {
    file: process.execPath,
    args,
    env: { ...process.env, LOCAL_S3_ACCESS_KEY: accessKey, LOCAL_S3_SECRET_KEY: secretKey },
    cwd: folder,
  };
}
