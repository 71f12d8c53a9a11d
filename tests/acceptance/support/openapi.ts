import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Json = Record<string, unknown>;

/** The gateway's own OpenAPI document, as a judge of the gateway's answers. */
export type OpenApi = ReturnType<typeof createOpenApi>;

/** Compiles the schema of an answer the first time that answer is seen. */
export function createOpenApi(document: Json) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi');
  const compiled = new Map<string, ValidateFunction>();
  return {
    document,
    /** Returns the first violation of the document by a response; an empty text for none, or for an unknown route. */
    findFault(method: string, pathname: string, status: number, body: unknown): string {
      const template = findTemplate(document, pathname);
      if (template === undefined || !valueAt(document, ['paths', template, method.toLowerCase()])) {
        return '';
      }
      const pointer = schemaPointer(document, [
        'paths',
        template,
        method.toLowerCase(),
        'responses',
        String(status),
      ]);
      if (pointer === undefined) {
        return `${method} ${template} does not document the status ${status}`;
      }
      const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
      compiled.set(pointer, validate);
      return validate(body) ? '' : `${method} ${template} ${status}: ${ajv.errorsText(validate.errors)}`;
    },
  };
}

function findTemplate(document: Json, pathname: string): string | undefined {
  const parts = pathname.split('/');
  return Object.keys(document.paths as Json).find((template) => {
    const wanted = template.split('/');
    return (
      wanted.length === parts.length && wanted.every((part, i) => part.startsWith('{') || part === parts[i])
    );
  });
}

// A response may itself be a reference; what stands behind it decides where its schema is.
function schemaPointer(document: Json, responsePath: string[]): string | undefined {
  const response = valueAt(document, responsePath);
  if (response === undefined) {
    return undefined;
  }
  const reference = response.$ref;
  const start =
    typeof reference === 'string' ? reference.slice(2).split('/').map(unescapePointer) : responsePath;
  const schema = [...start, 'content', 'application/json', 'schema'];
  if (valueAt(document, schema) === undefined) {
    return undefined;
  }
  return `/${schema.map(escapePointer).join('/')}`;
}

function valueAt(document: Json, path: string[]): Json | undefined {
  return path.reduce<Json | undefined>((value, key) => value?.[key] as Json | undefined, document);
}

const escapePointer = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
const unescapePointer = (key: string) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
