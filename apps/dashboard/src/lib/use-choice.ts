import { useSyncExternalStore } from 'react';

/** Choice that this browser remembers. */
interface Choice<T extends string> {
  readonly read: () => T;
  /** The choice and how to make another one. */
  readonly use: () => readonly [T, (value: T) => void];
}

/** Creates a choice that is kept under a name; the first value is the one of a browser that has chosen nothing. */
export function createChoice<T extends string>(
  name: string,
  [first, ...others]: readonly [T, ...T[]],
): Choice<T> {
  const event = `${name}change`;
  const subscribe = (onChange: () => void): (() => void) => {
    addEventListener(event, onChange);
    addEventListener('storage', onChange);
    return () => {
      removeEventListener(event, onChange);
      removeEventListener('storage', onChange);
    };
  };
  const read = (): T => {
    const kept = localStorage.getItem(name);
    return others.find((value) => value === kept) ?? first;
  };
  const choose = (value: T): void => {
    if (value === first) {
      localStorage.removeItem(name);
    } else {
      localStorage.setItem(name, value);
    }
    dispatchEvent(new Event(event));
  };
  return { read, use: () => [useSyncExternalStore(subscribe, read), choose] };
}
