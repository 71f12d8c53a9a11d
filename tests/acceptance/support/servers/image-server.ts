import { startServer } from './start-server.js';

/** Response of a path: bytes with a type, or a redirect. */
export type Served = { bytes: Buffer; type?: string; status?: number } | { redirect: string };

/** Web server with images and other responses by path. */
export type ImageServer = Awaited<ReturnType<typeof startImageServer>>;

/** Starts the server on 127.0.0.1, on a port that the product allows (or any free one when 0). */
export async function startImageServer(port = 0) {
  const paths = new Map<string, Served>();
  const { received, ...server } = await startServer((response, { path }) => {
    const served = paths.get(path);
    if (served === undefined) {
      response.writeHead(404).end();
    } else if ('redirect' in served) {
      response.writeHead(302, { location: served.redirect }).end();
    } else {
      const { status = 200, type = 'image/png', bytes } = served;
      response.writeHead(status, { 'content-type': type }).end(bytes);
    }
  }, port);
  return {
    ...server,
    put: (path: string, answer: Served) => void paths.set(path, answer),
    requests: (path: string) => received.filter((one) => one.path === path).length,
  };
}
