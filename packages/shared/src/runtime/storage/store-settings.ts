import { pickSettings, type SettingValues } from '../config/index.js';
import type { ObjectStoreSettings } from './create-object-store.js';

/** Settings of the object store. */
export const STORE_SETTINGS = pickSettings(
  'S3_ENDPOINT',
  'S3_REGION',
  'S3_BUCKET',
  'S3_CREDENTIALS',
  'S3_ACCESS_KEY',
  'S3_SECRET_KEY',
);

/** Returns address and credentials of the object store that the settings name. */
export function toStoreSettings(settings: SettingValues<typeof STORE_SETTINGS>): ObjectStoreSettings {
  return {
    endpoint: settings.S3_ENDPOINT,
    region: settings.S3_REGION,
    bucket: settings.S3_BUCKET,
    credentials: settings.S3_CREDENTIALS,
    accessKey: settings.S3_ACCESS_KEY,
    secretKey: settings.S3_SECRET_KEY,
  };
}
