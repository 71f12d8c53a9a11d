/** Writes a GET as it goes over the wire, Base64. */
export function getRequest(path: string, headers: Readonly<Record<string, string>> = {}): string {
  return base64(`GET ${path} HTTP/1.1\r\n${readLines(headers)}\r\n`);
}

/** Writes a POST of JSON as it goes over the wire, Base64. */
export function postRequest(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): string {
  const text = JSON.stringify(body);
  const all = {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
  };
  return base64(`POST ${path} HTTP/1.1\r\n${readLines(all)}\r\n${text}`);
}

function readLines(headers: Readonly<Record<string, string>>): string {
  const all = { Host: '127.0.0.1', Accept: '*/*', ...headers };
  return Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
