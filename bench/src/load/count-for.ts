/** How many actions a second end, so many at a time. */
export async function countFor(
  seconds: number,
  atATime: number,
  action: () => Promise<unknown>,
): Promise<number> {
  const from = performance.now();
  const until = from + seconds * 1_000;
  let done = 0;
  const line = async (): Promise<void> => {
    for (; performance.now() < until; done++) {
      await action();
    }
  };
  await Promise.all(Array.from({ length: atATime }, line));
  return (done * 1_000) / (performance.now() - from);
}
