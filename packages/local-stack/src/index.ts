export {
  API_ENV,
  type AppCommand,
  type AppCommands,
  compiledApps,
  GENERATION_WORKER_ENV,
  MEMORY_FLAGS,
  watchedApps,
} from './apps/app-commands.js';
export { type ServedDataDir, serveDataDir } from './copy/serve-data-dir.js';
export { findFreePort } from './net/ports.js';
export { describeS3, type S3Description } from './s3/describe-s3.js';
export { findMinio, type S3Options } from './s3/server-commands.js';
export { type StartedS3, startS3 } from './s3/start-s3.js';
export { type RunStackOptions, runStack } from './stack/run-stack.js';
export { StackError } from './stack-error.js';
export { startTestServices, type TestServices, type TestServicesOptions } from './start-test-services.js';
