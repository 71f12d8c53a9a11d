import { describe } from '@jest/globals';
import { describeBuiltIn, describeJobs, useUpstreams } from '../support/describe-upstream.js';

useUpstreams();
describeBuiltIn('fal');
describe('a job at fal', () => describeJobs('fal'));
