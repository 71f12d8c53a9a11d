import type { StorageError } from '@image-gateway/shared/storage';

/** Returns the remediation of a storage error for the operator, in one sentence. */
export function getStorageRemediation(error: StorageError, bucket: string): string {
  if (error.serverCode === 'RequestTimeTooSkewed') {
    return 'set the clock of this machine or of the object store';
  }
  if (error.serverCode === 'InvalidAccessKeyId') {
    return 'check S3_ACCESS_KEY: the object store has no such key';
  }
  if (error.serverCode === 'SignatureDoesNotMatch') {
    return 'check S3_SECRET_KEY and S3_REGION';
  }
  if (error.serverCode === 'ENOTFOUND') {
    return 'check the host name in S3_ENDPOINT';
  }
  switch (error.fault) {
    case 'unreachable':
      return 'check S3_ENDPOINT, that the object store runs there, and http against https';
    case 'timeout':
      return 'check that S3_ENDPOINT can be reached from here (firewall, proxy) and that the object store is not overloaded';
    case 'refused':
      return `check S3_ACCESS_KEY and S3_SECRET_KEY, and that they may list, read, write and delete in the bucket ${bucket}`;
    case 'no-bucket':
      return `create the bucket ${bucket}, or set S3_BUCKET to one that exists`;
    case 'request':
      return 'check S3_BUCKET: 3 to 63 characters of a-z, 0-9, dots and hyphens';
    case 'answer':
    case 'too-large':
    case 'range':
      return 'check the log of the object store';
  }
}
