/**
 * Waits for an answer, but no longer than some milliseconds: its value, or `late`. An answer that came in time and that this
 * process was too busy to read still counts. What a late promise rejects with is dropped.
 */
export async function answerWithin<T>(ms: number, answer: Promise<T>): Promise<T | 'late'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    // After a long pause timers fire first and sockets are read next: what lies there is looked at before giving up.
    timer = setTimeout(() => setImmediate(() => setImmediate(() => resolve('late'))), ms);
  });
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
