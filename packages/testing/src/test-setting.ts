export type TestSetting =
  | 'TEST_DATABASE_URL'
  | 'TEST_REDIS_URL'
  | 'TEST_S3_ENDPOINT'
  | 'TEST_S3_ACCESS_KEY'
  | 'TEST_S3_SECRET_KEY';

/** One of the settings by which `npm test` names its services; missing, an error that says how tests are run. */
export function testSetting(name: TestSetting): string {
  const value = process.env[name];
  if (!value)
    throw new Error(`${name} is not set: run this test with  node scripts/test.mjs --only <path pattern>`);
  return value;
}
