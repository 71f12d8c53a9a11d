import { useSyncExternalStore } from 'react';

/** Chosen theme; `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark';

const EVENT = 'themechange';

function subscribe(onChange: () => void): () => void {
  addEventListener(EVENT, onChange);
  addEventListener('storage', onChange);
  return () => {
    removeEventListener(EVENT, onChange);
    removeEventListener('storage', onChange);
  };
}

function read(): Theme {
  const chosen = localStorage.getItem('theme');
  return chosen === 'light' || chosen === 'dark' ? chosen : 'system';
}

function choose(theme: Theme): void {
  if (theme === 'system') {
    localStorage.removeItem('theme');
  } else {
    localStorage.setItem('theme', theme);
  }
  dispatchEvent(new Event(EVENT));
}

/** The chosen theme and how to choose another one; `theme.js` puts it on the document. */
export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, read), choose];
}
