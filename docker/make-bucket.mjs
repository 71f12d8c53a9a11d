// Makes the bucket of the images unless it is there, and ends: the processes never make one themselves.
import { ConfigError, loadSettings, sharedSettings } from '../packages/shared/dist/runtime/config/index.js';
import { createObjectStore } from '../packages/shared/dist/runtime/storage/index.js';

const { S3_ENDPOINT, S3_REGION, S3_BUCKET, S3_ACCESS_KEY, S3_SECRET_KEY } = sharedSettings;

try {
  const table = { S3_ENDPOINT, S3_REGION, S3_BUCKET, S3_ACCESS_KEY, S3_SECRET_KEY };
  const settings = loadSettings(table, process.env);
  const store = createObjectStore({
    endpoint: settings.S3_ENDPOINT,
    region: settings.S3_REGION,
    bucket: settings.S3_BUCKET,
    accessKey: settings.S3_ACCESS_KEY,
    secretKey: settings.S3_SECRET_KEY,
  });
  await store.ensureBucket();
  store.close();
  console.log(`the bucket ${settings.S3_BUCKET} is there`);
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : `no bucket: ${error.message}`);
  process.exitCode = 1;
}
