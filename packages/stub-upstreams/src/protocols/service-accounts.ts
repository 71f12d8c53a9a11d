import { generateKeyPairSync } from 'node:crypto';

/** Service account of the stub. */
interface StubAccount {
  readonly email: string;
  /** Its token. */
  readonly key: string;
  readonly publicKey: string;
  readonly privateKey: string;
}

const create = (number: number): StubAccount => ({
  email: `stub-${number}@stub.iam.gserviceaccount.com`,
  key: `stub-vertex-${number}`,
  ...generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  }),
});

/** Service accounts that Google knows, new in each process. */
export const SERVICE_ACCOUNTS: readonly StubAccount[] = [create(1), create(2)];

/** Returns the keys of the service accounts as the gateway takes them: their files in base64. */
export function listServiceAccountKeys(url: string): string[] {
  return SERVICE_ACCOUNTS.map(({ email, privateKey }) => {
    const file = {
      type: 'service_account',
      project_id: 'stub',
      private_key_id: 'stub',
      private_key: privateKey,
      client_email: email,
      token_uri: `${url}/token`,
    };
    return Buffer.from(JSON.stringify(file)).toString('base64');
  });
}
