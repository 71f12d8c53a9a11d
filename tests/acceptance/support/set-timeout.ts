import { jest } from '@jest/globals';

// Far beyond what any test takes: a busy machine makes these tests slow, never red. What must be fast says so by itself.
jest.setTimeout(180_000);
