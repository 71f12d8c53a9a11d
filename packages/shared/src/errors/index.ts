export { AppError, type AppErrorOptions } from './app-error.js';
export { toAppError } from './to-app-error.js';
