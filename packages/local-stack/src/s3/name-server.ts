import { hash } from 'node:crypto';

/** Returns the name by which an embedded object store shows, in each response, whose it is. It tells nothing of the keys. */
export function nameServer(accessKey: string): string {
  return `image-gateway-store/${hash('sha256', accessKey).slice(0, 16)}`;
}
