import { applyCatalog } from '@image-gateway/testing';
import { beforeAll, describe } from '@jest/globals';
import { buildInstanceDocument } from '../support/build-instance-document.js';
import { describeUpstream, useUpstreams } from '../support/describe-upstream.js';

const upstreams = useUpstreams();

describe('dashscope, an instance of the catalog', () => {
  beforeAll(async () => {
    const document = buildInstanceDocument('dashscope', upstreams.stub().url);
    upstreams.setCatalog(await applyCatalog(upstreams.world().test, document));
  });
  describeUpstream('dashscope');
});
