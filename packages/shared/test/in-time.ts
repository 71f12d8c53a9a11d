/**
 * Waits for a promise and throws when it is not settled by the time a timer of this process fires. A busy machine makes
 * that timer late too, so that only a promise that really waits for longer fails.
 */
export async function inTime<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not settled within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
