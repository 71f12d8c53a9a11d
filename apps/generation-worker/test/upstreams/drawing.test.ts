import { applyCatalog } from '@image-gateway/testing';
import { test } from '@jest/globals';
import { buildInstanceDocument } from '../support/build-documents.js';
import { drawAndEdit, useUpstreams } from '../support/describe-upstream.js';

const upstreams = useUpstreams();

// Under the built-in catalog, so before instances of a document.
test.each(['openai', 'openrouter', 'replicate'] as const)(
  '%s draws what is asked, and edits what it is given',
  (name) => drawAndEdit(name),
);

test.each([
  ['azure-openai', 3],
  ['bfl', 3],
  ['dashscope', 3],
  ['sdapi', 1],
  ['vertex', 3],
] as const)(
  '%s, an instance of the catalog, draws what is asked, and edits at most %d images that it is given',
  async (name, maxInputs) => {
    const document = buildInstanceDocument(name, upstreams.stub().url);
    upstreams.setCatalog(await applyCatalog(upstreams.world().test, document));
    await drawAndEdit(name, maxInputs);
  },
);
