import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { AppError } from '@image-gateway/shared/errors';
import type { Handler } from '../http/framework/call.js';

const SECURITY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri " +
  "'none'; form-action 'none'; frame-ancestors 'none'";

// Relative paths, so that the page works behind a path prefix too.
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Image Generation Gateway API</title>
<link rel="icon" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
<div id="page"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/page.js"></script>
</html>
`;
const SCRIPT = `SwaggerUIBundle({ url: 'v1/openapi.json', dom_id: '#page', deepLinking: true, validatorUrl: null });\n`;

const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

/** `GET /docs`: the page that shows the OpenAPI document; everything it needs comes from here. */
export function getDocs(): Handler {
  return () => ({
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': SECURITY,
      'Cache-Control': 'no-cache',
    },
    text: PAGE,
  });
}

/** `GET /docs/`: the page with its links relative to `/docs` would not find its parts there. */
export function redirectToDocs(): Handler {
  return () => ({ status: 308, headers: { Location: '../docs', 'Cache-Control': 'public, max-age=3600' } });
}

/** `GET /docs/{asset}`: the parts of that page. */
export function getDocsAsset(): Handler {
  const require = createRequire(import.meta.url);
  const read = new Map<string, Promise<Buffer>>();
  const load = (name: string): Promise<Buffer> => {
    const known = read.get(name);
    if (known) {
      return known;
    }
    const loading = readFile(require.resolve(`swagger-ui-dist/${name}`));
    read.set(name, loading);
    loading.catch(() => read.delete(name));
    return loading;
  };
  return async ({ params: { asset = '' } }) => {
    const cache = { 'Cache-Control': 'public, max-age=3600' };
    if (asset === 'page.js') {
      return {
        status: 200,
        headers: { 'Content-Type': 'text/javascript; charset=utf-8', ...cache },
        text: SCRIPT,
      };
    }
    const type = Object.hasOwn(ASSETS, asset) ? ASSETS[asset] : undefined;
    if (type === undefined) {
      throw new AppError('NOT_FOUND');
    }
    return { status: 200, headers: { 'Content-Type': type, ...cache }, text: await load(asset) };
  };
}
