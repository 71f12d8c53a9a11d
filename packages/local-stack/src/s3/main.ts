import { Command } from '@commander-js/extra-typings';
import { serveS3 } from './serve-s3.js';

const PARENT_CHECK_MS = 500;

// Runs the embedded object store as a process. The keys are in the environment, because `ps` shows arguments.
const { port, throwaway, parent, linger, ...place } = new Command('object store')
  .requiredOption('--folder <folder>')
  .requiredOption('--bucket <name>')
  .option('--port <port>', 'any free one by default', '0')
  .option('--throwaway', 'does not flush writes to the disk', false)
  .option('--parent <pid>', 'process with which this one ends')
  .option('--linger <ms>', 'how long it goes on after that', '0')
  .parse()
  .opts();
const { LOCAL_S3_ACCESS_KEY: accessKey, LOCAL_S3_SECRET_KEY: secretKey } = process.env;

function fail(error: unknown): never {
  process.stderr.write(`object store: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
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

const onFault = (error: Error) => process.stderr.write(`object store: ${error.stack ?? error.message}\n`);
const options = { ...place, port: Number(port), accessKey, secretKey, durable: !throwaway, onFault };
const server = await serveS3(options).catch(fail);
const end = () => void server.close().then(() => process.exit(0), fail);
process.once('SIGTERM', end);
process.once('SIGINT', end);
if (parent !== undefined) {
  const timer = setInterval(() => {
    if (!isAlive(Number(parent))) {
      clearInterval(timer);
      setTimeout(end, Number(linger));
    }
  }, PARENT_CHECK_MS);
  timer.unref();
}
process.stdout.write(`object store ready at ${server.url}, bucket ${place.bucket}\n`);
