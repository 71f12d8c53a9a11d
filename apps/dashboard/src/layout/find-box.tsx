import { readKeyPrefix } from '@image-gateway/shared/contract';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { cx } from '../lib/cx.js';

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
      // The rest of a whole key that was pasted is not sent, so that no log has it.
      void navigate({ to: '/operator/search', search: { q: readKeyPrefix(text) ?? text } });
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
