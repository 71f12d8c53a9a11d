export { type AppCommand, type AppCommands, compiledApps, watchedApps } from './apps/app-commands.js';
export {
  describeS3,
  findMinio,
  type S3Description,
  type S3Options,
  type StartedS3,
  startS3,
} from './s3/index.js';
export { type RunStackOptions, runStack } from './stack/run-stack.js';
export { StackError } from './stack-error.js';
export { startTestServices, type TestServices, type TestServicesOptions } from './start-test-services.js';
