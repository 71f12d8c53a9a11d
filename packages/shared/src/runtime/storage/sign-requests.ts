import type http from 'node:http';
import aws4 from 'aws4';
import { RoleCredentials } from './role-credentials.js';

/** Keys that sign requests. */
export interface SigningKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of the keys of a role. */
  readonly sessionToken?: string;
}

/** Where keys come from. */
export interface KeySettings {
  /** Empty, together with the secret key, for requests without a signature. */
  readonly accessKey: string;
  readonly secretKey: string;
  /** `role` takes the credentials of the machine's role instead of the keys. */
  readonly credentials?: 'keys' | 'role' | undefined;
}

/** Sends a request of the client. */
export type Send = typeof http.request;

/** Request as the client sends it. */
interface PlainRequest extends http.RequestOptions {
  readonly method: string;
  readonly path: string;
  /** With the host. */
  readonly headers: http.OutgoingHttpHeaders;
}

/** Creates the function that finds the keys of a call, or undefined: no signature. Throws StorageError for a role that has none. */
export function createKeyFinder(settings: KeySettings): () => Promise<SigningKeys | undefined> {
  if (settings.credentials === 'role') {
    const role = new RoleCredentials();
    return async () => {
      const { accessKey, secretKey, sessionToken } = await role.getCredentials();
      return { accessKeyId: accessKey, secretAccessKey: secretKey, ...(sessionToken && { sessionToken }) };
    };
  }
  const { accessKey: accessKeyId, secretKey: secretAccessKey } = settings;
  const keys = accessKeyId !== '' && secretAccessKey !== '' ? { accessKeyId, secretAccessKey } : undefined;
  return async () => keys;
}

/**
 * Signs what is sent, by version 4 of the signature of AWS. The key of a day is derived once. A body is part of the signature if its
 * hash is among the headers.
 */
export function signRequests(send: Send, region: string, keys: SigningKeys): Send {
  const sendSigned = (options: PlainRequest, onResponse: (response: http.IncomingMessage) => void) => {
    const { method, path } = options;
    const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', ...options.headers };
    const signed = aws4.sign({ method, path, headers, service: 's3', region }, keys);
    return send({ ...options, path: signed.path, headers: signed.headers }, onResponse);
  };
  return sendSigned as Send;
}
