/** A fault that the person who starts the stack can do something about; the message says what. */
export class StackError extends Error {
  override readonly name = 'StackError';
}
