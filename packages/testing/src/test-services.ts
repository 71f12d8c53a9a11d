/** Where the services of a test run are; `npm test` starts them and sets the variables. */
export interface TestServices {
  /** A superuser's URL of the maintenance database. */
  readonly databaseUrl: string;
  /** With a database index of its own for each Jest worker. */
  readonly redisUrl: string;
  readonly s3: { readonly endpoint: string; readonly accessKey: string; readonly secretKey: string };
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} is not set: run tests with "npm test", which starts the services they need`);
  }
  return value;
}

/** Reads where the services of this test run are; asking for one that is not there throws an Error that says what to do. */
export function testServices(): TestServices {
  return {
    get databaseUrl() {
      return required('TEST_DATABASE_URL');
    },
    get redisUrl() {
      const redis = new URL(required('TEST_REDIS_URL'));
      redis.pathname = `/${Number(process.env.JEST_WORKER_ID ?? 1) % 16}`;
      return redis.href;
    },
    get s3() {
      return {
        endpoint: required('TEST_S3_ENDPOINT'),
        accessKey: required('TEST_S3_ACCESS_KEY'),
        secretKey: required('TEST_S3_SECRET_KEY'),
      };
    },
  };
}
