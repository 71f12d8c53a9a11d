/** Error that the person who starts the stack can fix; the message contains the remediation. */
export class StackError extends Error {
  override readonly name = 'StackError';
}
