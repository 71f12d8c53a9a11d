import { ImageGatewayError } from './errors.js';

/** Returns the address of the gateway without the paths of its APIs, which people copy with it. */
export function readBaseUrl(given: string | undefined): string {
  const { location } = globalThis as { location?: { href: string } };
  const address = (given ?? readVariable('IMAGE_GATEWAY_URL'))?.trim();
  if (address === undefined) {
    throw new ImageGatewayError('Give the address of the gateway: baseUrl, or IMAGE_GATEWAY_URL.');
  }
  const url = URL.canParse(address, location?.href) ? new URL(address, location?.href) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    // Its text stays unnamed: it may be the key, in the wrong place.
    throw new ImageGatewayError('baseUrl is no http or https URL, such as https://images.example.com.');
  }
  return url.href
    .replace(/\/+$/, '')
    .replace(/(?:\/openai)?\/v1$/, '')
    .replace(/\/+$/, '');
}

/** Returns the API key without the line end of a file. Refuses what no header can carry, without naming it. */
export function readKey(given: string | undefined): string | undefined {
  const key = (given ?? readVariable('IMAGE_GATEWAY_KEY'))?.trim();
  if (key !== undefined && /[^!-~]/.test(key)) {
    throw new ImageGatewayError(
      'apiKey is no API key: it has blanks, line ends or characters that no key has.',
    );
  }
  return key || undefined;
}

/** Reads a variable of the environment, where there is one. */
export function readVariable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}

/** Returns a URL without what may be secret: user, password and query. */
export function hideSecrets(text: string): string {
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}

/** Reads a file by its path, where the platform has files. */
export async function readFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: 'node:fs/promises') => typeof import('node:fs/promises') };
  };
  const files = process?.getBuiltinModule?.('node:fs/promises');
  if (!files) {
    throw new ImageGatewayError(
      'Files can be read by their path in Node 20.16 and newer, Bun and Deno: give the bytes.',
    );
  }
  return new Uint8Array(await files.readFile(path));
}

const startsWith = (bytes: Uint8Array, text: string, offset = 0): boolean =>
  [...text].every((character, index) => bytes[offset + index] === character.charCodeAt(0));

/** Finds the type of an image by its first bytes. Throws ImageGatewayError for anything else. */
export function findImageType(bytes: Uint8Array): string {
  if (startsWith(bytes, '\x89PNG')) {
    return 'image/png';
  }
  if (startsWith(bytes, '\xff\xd8\xff')) {
    return 'image/jpeg';
  }
  if (startsWith(bytes, 'RIFF') && startsWith(bytes, 'WEBP', 8)) {
    return 'image/webp';
  }
  throw new ImageGatewayError(
    bytes.length === 0 ? 'The image is empty.' : 'This is no PNG, JPEG or WebP image.',
  );
}
