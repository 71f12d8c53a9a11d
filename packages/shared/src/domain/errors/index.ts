export { AppError, type AppErrorOptions, toAppError } from './app-error.js';
export { notFound } from './not-found.js';
export { UnusableServiceError } from './unusable-service-error.js';
