// Makes the bucket of the images unless it is there, and ends: the processes never make one themselves.
import { ConfigError, loadSettings, readEnvironment } from '../packages/shared/dist/runtime/config/index.js';
import {
  createObjectStore,
  STORE_SETTINGS,
  toStoreSettings,
} from '../packages/shared/dist/runtime/storage/index.js';

try {
  const settings = loadSettings(STORE_SETTINGS, readEnvironment(process.env));
  const store = createObjectStore(toStoreSettings(settings));
  await store.ensureBucket();
  store.close();
  console.log(`the bucket ${settings.S3_BUCKET} is there`);
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : `no bucket: ${error.message}`);
  process.exitCode = 1;
}
