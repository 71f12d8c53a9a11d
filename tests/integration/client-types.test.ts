import { test } from '@jest/globals';
import openapiTS, { astToString } from 'openapi-typescript';
import { describeSchemas } from './clients/describe-schemas.js';
import { expectRecorded } from './clients/expect-recorded.js';
import { writePythonTypes } from './clients/write-python-types.js';

/** Writes the description of a field on its line. The rest of the generator's notes is in its type. */
const foldComments = (source: string): string =>
  source.replace(/\/\*\*(.*?)\*\/\n\s+/gs, (_, notes: string) => {
    const description = /@description (.*)/.exec(notes)?.[1]?.trim();
    return description === undefined ? '' : `/** ${description} */ `;
  });

test('the types of the TypeScript client are those of the OpenAPI document; RECORD_INTERFACE=1 writes them', async () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Image Generation Gateway', version: '1' },
    paths: {},
    components: { schemas: describeSchemas() },
  };
  const types = astToString(
    await openapiTS(document as unknown as Parameters<typeof openapiTS>[0], { immutable: true }),
  );
  const note =
    '// Written by the tests from the OpenAPI document: RECORD_INTERFACE=1 npm test -- --only client-types\n';
  expectRecorded('clients/typescript/src/generated/openapi.ts', note + foldComments(types));
});

test('the types of the Python client are those of the OpenAPI document; RECORD_INTERFACE=1 writes them', () => {
  expectRecorded('clients/python/src/image_gateway/types.py', writePythonTypes(describeSchemas()));
});
