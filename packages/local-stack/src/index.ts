export { StackError } from './stack-error.js';
export { startTestServices, type TestServices, type TestServicesOptions } from './start-test-services.js';
