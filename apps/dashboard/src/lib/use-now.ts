import { useEffect, useState } from 'react';

/** The time in milliseconds, renewed every so often, so that what depends on it stays true on a page that is left open. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
