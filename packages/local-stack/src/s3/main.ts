import { Command } from '@commander-js/extra-typings';
import { serveS3 } from './serve-s3.js';

const PARENT_CHECK_MS = 500;

// Runs the embedded object store as a process. The keys are in the environment, because `ps` shows arguments.
const { folder, port, bucket, throwaway, parent, linger } = new Command('object store')
  .requiredOption('--folder <folder>')
  .requiredOption('--bucket <name>')
  .option('--port <port>', 'any free one by default', '0')
  .option('--throwaway', 'does not flush writes to the disk', false)
  .option('--parent <pid>', 'process with which this one ends')
  .option('--linger <ms>', 'how long it goes on after that', '0')
  .parse()
  .opts();
const { LOCAL_S3_ACCESS_KEY: accessKey, LOCAL_S3_SECRET_KEY: secretKey } = process.env;

function fail(message: string): never {
  process.stderr.write(`object store: ${message}\n`);
  process.exit(1);
}

/** Calls back at most half a second after the end of a process. */
function watchParent(pid: number, onEnd: () => void): void {
  const timer = setInterval(() => {
    if (isAlive(pid)) {
      return;
    }
    clearInterval(timer);
    onEnd();
  }, PARENT_CHECK_MS);
  timer.unref();
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

if (!accessKey || !secretKey) {
  fail('needs LOCAL_S3_ACCESS_KEY and LOCAL_S3_SECRET_KEY');
}

try {
  const onFault = (error: Error) => process.stderr.write(`object store: ${error.stack ?? error.message}\n`);
  const server = await serveS3({
    folder,
    port: Number(port),
    bucket,
    accessKey,
    secretKey,
    durable: !throwaway,
    onFault,
  });
  const end = () => {
    server.close().then(
      () => process.exit(0),
      (error: unknown) => fail(String(error)),
    );
  };
  process.once('SIGTERM', end);
  process.once('SIGINT', end);
  if (parent !== undefined) {
    watchParent(Number(parent), () => setTimeout(end, Number(linger)));
  }
  process.stdout.write(`object store ready at ${server.url}, bucket ${bucket}\n`);
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}
