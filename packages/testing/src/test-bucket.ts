import { randomBytes } from 'node:crypto';
import { testSetting } from './test-setting.js';

export interface TestBucket {
  endpoint: string;
  region: string;
  bucket: string;
  accessKey: string;
  secretKey: string;
}

/** The settings of a bucket of its own on the S3 server of the tests; it does not exist yet. */
export function testBucket(): TestBucket {
  return {
    endpoint: testSetting('TEST_S3_ENDPOINT'),
    region: 'us-east-1',
    bucket: `test-${randomBytes(8).toString('hex')}`,
    accessKey: testSetting('TEST_S3_ACCESS_KEY'),
    secretKey: testSetting('TEST_S3_SECRET_KEY'),
  };
}
