import { describe } from '@jest/globals';
import { describeBuiltIn, describeJobs, useUpstreams } from '../support/describe-upstream.js';

useUpstreams();
describeBuiltIn('replicate');
describe('a job at replicate', () => describeJobs('replicate'));
