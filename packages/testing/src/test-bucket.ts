import { randomBytes } from 'node:crypto';
import { testServices } from './test-services.js';

/** The settings of a bucket of a test file's own. */
export interface TestBucket {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKey: string;
  readonly secretKey: string;
}

/** Names a new bucket on the S3 server of the tests; making it is up to the test. */
export function testBucket(): TestBucket {
  return { ...testServices().s3, region: 'us-east-1', bucket: `test-${randomBytes(8).toString('hex')}` };
}
