import { applyCatalog } from '@image-gateway/testing';
import { beforeAll, describe } from '@jest/globals';
import { buildInstanceDocument } from '../support/build-instance-document.js';
import { describeJobs, describeUpstream, useUpstreams } from '../support/describe-upstream.js';

const upstreams = useUpstreams();

describe('bfl, an instance of the catalog', () => {
  beforeAll(async () => {
    const document = buildInstanceDocument('bfl', upstreams.stub().url);
    upstreams.setCatalog(await applyCatalog(upstreams.world().test, document));
  });
  describeUpstream('bfl');
  describeJobs('bfl');
});
