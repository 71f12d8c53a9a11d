import type { TrustProxy } from '@image-gateway/shared/config';

const EVERY_ADDRESS = ['0.0.0.0', '::', '[::]'];

/**
 * Returns why the port of the API should not be open as it is, and what to change; null where it may be. Beside a proxy that is
 * trusted, a client that reaches the port itself may claim any address, and speaks plain HTTP.
 */
export function describeExposure(settings: {
  readonly HOST: string;
  readonly TRUST_PROXY: TrustProxy;
  readonly CONTAINER: boolean;
}): { readonly observed: string; readonly remediation: string } | null {
  const { HOST, TRUST_PROXY, CONTAINER } = settings;
  if (CONTAINER || TRUST_PROXY === false || TRUST_PROXY === 0 || !EVERY_ADDRESS.includes(HOST)) {
    return null;
  }
  return {
    observed: `TRUST_PROXY is set and the API listens on every address (HOST=${HOST}): who reaches its port directly can claim any address`,
    remediation: 'Set HOST to the address that the proxy connects to, such as 127.0.0.1.',
  };
}
