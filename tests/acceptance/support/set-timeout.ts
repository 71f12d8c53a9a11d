import { jest } from '@jest/globals';

// Far beyond what any test takes: a busy machine makes these tests slow, never red. A test of speed sets its own limit.
jest.setTimeout(180_000);
