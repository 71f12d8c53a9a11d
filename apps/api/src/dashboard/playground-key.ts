/** Id in place of an API key on tasks that were submitted in the dashboard; no key has it. */
export const PLAYGROUND_KEY_ID = 'key_playground';
