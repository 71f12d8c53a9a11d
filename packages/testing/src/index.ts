export { checkInvariants, type InvariantScope } from './check-invariants.js';
export { createTestAccount, type TestAccount } from './create-test-account.js';
export { createTestDatabase, type TestDatabase } from './create-test-database.js';
export { createTestTask, type TestTaskOptions } from './create-test-task.js';
export { type EventuallyOptions, eventually } from './eventually.js';
export { repositoryRoot } from './repository-root.js';
export { type Answer, type ReceivedRequest, type Receiver, startReceiver } from './start-receiver.js';
export { type TestServices, testServices } from './test-services.js';
