/** An error whose message is all that people need to see. @param {string} message */
export function bootstrapError(message) {
  const error = new Error(message);
  error.name = 'BootstrapError';
  return error;
}
