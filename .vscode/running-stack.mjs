// Loaded before an app that runs under the debugger: tells it where the services of the running `npm start` are. What the
// environment says wins. Without a running stack the app lists the settings that it misses.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const file = resolve(import.meta.dirname, '..', process.env.DATA_DIR || '.data', 'run.json');
const run = (() => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    console.error(`${file}: ${error.message}. Start the services first: npm start -- --workers 0`);
    return {};
  }
})();

const found = {
  DATABASE_URL: run.postgres?.url,
  REDIS_URL: run.redis?.url,
  S3_ENDPOINT: run.s3?.url,
  S3_BUCKET: run.s3?.bucket,
  S3_ACCESS_KEY: run.s3?.accessKey,
  S3_SECRET_KEY: run.s3?.secretKey,
  BASE_URL: run.api?.url,
};
for (const [name, value] of Object.entries(found)) {
  if (value) {
    process.env[name] ??= value;
  }
}
