import { readFile } from 'node:fs/promises';
import { IamAwsProvider } from 'minio';
import { StorageError } from './storage-error.js';

type Credentials = Awaited<ReturnType<IamAwsProvider['getCredentials']>>;

/** Credentials as the metadata services of AWS hand them out. */
interface HandedOut {
  readonly AccessKeyId: string;
  readonly SecretAccessKey: string;
  readonly Token: string;
  readonly Expiration: string;
}

const CONTAINER = 'http://169.254.170.2';
const MACHINE = 'http://169.254.169.254/latest';
const TIMEOUT_MS = 2_000;
/** Remaining life at which credentials are renewed; AWS has new ones by then. */
const RENEW_MS = 5 * 60_000;

/**
 * Credentials of the role that this service account (IRSA), container (ECS, EKS Pod Identity) or machine (EC2) has on AWS. They are
 * renewed before they expire, by one request for all callers. The client's provider itself understands IRSA only.
 */
export class RoleCredentials extends IamAwsProvider {
  #fetching: Promise<Credentials> | undefined;
  #renewAt = Number.NEGATIVE_INFINITY;
  #known: Credentials | undefined;

  constructor() {
    super({});
  }

  override async getCredentials(): Promise<Credentials> {
    if (this.#known !== undefined && Date.now() < this.#renewAt) {
      return this.#known;
    }
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    try {
      return await this.#fetching;
    } catch (error) {
      const message = 'the role of this machine has no credentials';
      throw new StorageError({ fault: 'refused', message, cause: error });
    }
  }

  async #fetch(): Promise<Credentials> {
    if (process.env.AWS_WEB_IDENTITY_TOKEN_FILE) {
      return super.getCredentials();
    }
    const handedOut = (await askContainer()) ?? (await askMachine());
    this.setAccessKey(handedOut.AccessKeyId);
    this.setSecretKey(handedOut.SecretAccessKey);
    this.setSessionToken(handedOut.Token);
    this.#renewAt = Date.parse(handedOut.Expiration) - RENEW_MS;
    this.#known = (this as unknown as { readonly credentials: Credentials }).credentials;
    return this.#known;
  }
}

/** Asks the service beside a container; null where there is none. */
async function askContainer(): Promise<HandedOut | null> {
  const {
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: path,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: uri,
    AWS_CONTAINER_AUTHORIZATION_TOKEN: token,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file,
  } = process.env;
  const url = path ? `${CONTAINER}${path}` : uri;
  if (!url) {
    return null;
  }
  const authorization = file ? (await readFile(file, 'utf8')).trim() : token;
  return parse(await ask(url, authorization ? { headers: { Authorization: authorization } } : {}));
}

/** Asks the metadata service of EC2, in its second version. */
async function askMachine(): Promise<HandedOut> {
  const ttl = { 'X-aws-ec2-metadata-token-ttl-seconds': '21600' };
  const token = await ask(`${MACHINE}/api/token`, { method: 'PUT', headers: ttl });
  const headers = { 'X-aws-ec2-metadata-token': token };
  const roles = `${MACHINE}/meta-data/iam/security-credentials/`;
  const [role = ''] = (await ask(roles, { headers })).split('\n');
  return parse(await ask(`${roles}${encodeURIComponent(role.trim())}`, { headers }));
}

async function ask(url: string, options: RequestInit): Promise<string> {
  const response = await fetch(url, { ...options, signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) {
    throw new Error(`the metadata service answers ${response.status}`);
  }
  return response.text();
}

function parse(text: string): HandedOut {
  const handedOut = JSON.parse(text) as Partial<HandedOut>;
  const { AccessKeyId, SecretAccessKey, Token, Expiration } = handedOut;
  if (!AccessKeyId || !SecretAccessKey || !Token || !Expiration) {
    throw new Error('the metadata service hands out no credentials');
  }
  return { AccessKeyId, SecretAccessKey, Token, Expiration };
}
