export { createLogger, type Logger, type LoggerOptions } from './create-logger.js';
export { redact, redactText } from './redact.js';
