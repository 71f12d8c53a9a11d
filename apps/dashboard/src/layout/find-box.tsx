import { useNavigate, useSearch } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { cx } from '../lib/cx.js';

/** Stored part of an API key. The rest of a whole one that was pasted is not sent, so that no log has it. */
const KEY_PREFIX = /^gw_live_[0-9A-Za-z]{4}/;

const LOOK = cx(
  'min-h-10 w-full rounded-lg border border-line-strong bg-surface py-2 pr-3 pl-9 text-ink text-sm',
  'placeholder:text-muted focus-visible:outline-offset-0',
);

/** Box in which operators look for any id, on every page. */
export function FindBox() {
  const navigate = useNavigate();
  const { q = '' } = useSearch({ strict: false });
  const [typed, setTyped] = useState(q);
  useEffect(() => setTyped(q), [q]);
  const find = (): void => {
    const text = typed.trim();
    if (text !== '') {
      void navigate({ to: '/operator/search', search: { q: KEY_PREFIX.exec(text)?.[0] ?? text } });
    }
  };
  return (
    <search>
      <form
        className="relative"
        onSubmit={(event) => {
          event.preventDefault();
          find();
        }}
      >
        <Search
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
        />
        <input
          type="search"
          aria-label="Find an id, a key, a reference or an address"
          placeholder="Find id, key, e-mail…"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          maxLength={254}
          autoComplete="off"
          spellCheck={false}
          className={LOOK}
        />
      </form>
    </search>
  );
}
