export { describeS3, type S3Description } from './describe-s3.js';
export { findMinio } from './find-minio.js';
export { clearS3Leftovers } from './leftover.js';
export type { S3Options } from './s3-options.js';
export { type StartedS3, startS3 } from './start-s3.js';
