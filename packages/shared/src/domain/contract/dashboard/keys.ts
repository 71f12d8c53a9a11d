/** How long, in hours, a key that is being replaced may go on working. */
export const KEY_GRACE_HOURS = [0, 1, 24, 168, 720] as const;
