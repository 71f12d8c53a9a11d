export { AppError, type AppErrorOptions, toAppError } from './app-error.js';
export { notFound } from './not-found.js';
