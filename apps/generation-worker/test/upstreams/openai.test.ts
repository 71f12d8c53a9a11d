import { describeBuiltIn, useUpstreams } from '../support/describe-upstream.js';

useUpstreams();
describeBuiltIn('openai');
