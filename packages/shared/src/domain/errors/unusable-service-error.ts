import { AppError } from './app-error.js';

/** A service answers and cannot be used as it is set up: an operator has to change it. The message says what. */
export class UnusableServiceError extends AppError {
  constructor(publicMessage: string) {
    super('SERVICE_UNAVAILABLE', { publicMessage });
    this.name = 'UnusableServiceError';
  }
}
