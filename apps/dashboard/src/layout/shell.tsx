import type { DashboardRole, DashboardSession, DashboardUser } from '@image-gateway/shared/user/schema';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { LogOut, Menu, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { queryClient, SESSION_KEY } from '../api/query-client.js';
import { useSend } from '../api/use-api.js';
import { cx } from '../lib/cx.js';
import { nameZone, useZone, type Zone } from '../lib/times.js';
import { useOnline } from '../lib/use-online.js';
import { NotFound } from '../pages/not-found.js';
import { SupportLink } from '../ui/links.js';
import { Notice } from '../ui/states.js';
import { Brand } from './brand.js';
import { FindBox } from './find-box.js';
import { NAV_ITEMS } from './nav-items.js';
import { ThemeButton } from './theme-button.js';

const SKIP =
  'sr-only z-50 rounded-lg bg-ink px-4 py-2 text-ground focus:not-sr-only focus:fixed focus:top-3 focus:left-3';
const MENU =
  'ml-1 flex min-h-9 items-center gap-2 rounded-lg border border-line px-3 font-medium text-sm hover:border-line-strong';

/** Frame of every page with a session: navigation at the side, on a phone in a menu above. */
export function Shell({ session, user }: Readonly<{ session: DashboardSession; user: DashboardUser }>) {
  const { account, sandbox, support_url: supportUrl } = session;
  const { pathname } = useLocation();
  const isOnline = useOnline();
  const main = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  const menu = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    // After a link is followed by keyboard, reading goes on at the top of the new page.
    if (shown.current !== pathname) {
      main.current?.focus({ preventScroll: true });
    }
    shown.current = pathname;
    setOpen(false);
  }, [pathname]);
  return (
    <div className="mx-auto min-h-dvh max-w-[90rem] lg:grid lg:grid-cols-[15.5rem_minmax(0,1fr)]">
      <a href="#content" className={SKIP}>
        Skip to the content
      </a>
      <header
        className={cx(
          'border-line border-b pb-3 lg:sticky lg:top-0 lg:h-dvh lg:border-r lg:border-b-0 lg:px-4 lg:py-6',
          'lg:flex lg:flex-col',
        )}
      >
        <div className="flex items-center justify-between gap-2 px-4 pt-3 lg:px-2 lg:pt-0">
          <Brand />
          <div className="flex lg:hidden">
            <ThemeButton />
            <SignOutButton />
            <button
              ref={menu}
              type="button"
              aria-expanded={isOpen}
              aria-controls="menu"
              onClick={() => setOpen(!isOpen)}
              className={MENU}
            >
              {isOpen ? <X aria-hidden className="size-4" /> : <Menu aria-hidden className="size-4" />}
              Menu
            </button>
          </div>
        </div>
        {user.role === 'operator' && (
          <div className="px-4 pt-3 lg:px-0 lg:pt-6">
            <FindBox />
          </div>
        )}
        <nav
          id="menu"
          aria-label="Main"
          onKeyDown={({ key }) => {
            if (key === 'Escape' && isOpen) {
              setOpen(false);
              menu.current?.focus();
            }
          }}
          className={cx('px-2 pt-2 lg:mt-6 lg:block lg:flex-1 lg:p-0', !isOpen && 'hidden')}
        >
          <ul className="grid grid-cols-2 gap-0.5 lg:flex lg:flex-col">
            {NAV_ITEMS[user.role].map(({ to, name, icon: Icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  activeOptions={{ exact: to === '/' }}
                  activeProps={{ className: 'bg-sunken text-ink' }}
                  inactiveProps={{ className: 'text-muted hover:bg-sunken hover:text-ink' }}
                  className="flex min-h-11 items-center gap-2.5 rounded-lg px-3 font-medium text-sm transition lg:min-h-9"
                >
                  <Icon aria-hidden className="size-4.5 shrink-0" />
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <div className="hidden items-center gap-1 border-line border-t pt-4 lg:flex">
          <p className="min-w-0 flex-1 truncate pl-2 text-sm" title={user.email}>
            <span className="block truncate">{user.email}</span>
            <span className="block text-muted text-xs">
              {user.role === 'operator' ? 'Operator' : 'Account owner'}
            </span>
          </p>
          <ThemeButton />
          <SignOutButton />
        </div>
      </header>
      <main id="content" ref={main} tabIndex={-1} className="min-w-0 px-4 py-7 sm:px-8 sm:py-10 lg:px-12">
        <div className="mx-auto max-w-5xl">
          {!isOnline && (
            <div className="mb-5">
              <Notice kind="info">
                You are offline. What you see may be old; it is read again once you are back.
              </Notice>
            </div>
          )}
          {account?.status === 'suspended' && (
            <div className="mb-5">
              <Notice kind="bad">
                <p className="font-medium">This account is suspended.</p>
                {account.suspension_reason !== null && <p>Reason: {account.suspension_reason}</p>}
                <p>
                  New requests are refused and nothing can be changed here; tasks that were accepted before go
                  on. Ask the operator of this gateway.
                </p>
                {supportUrl !== null && <SupportLink url={supportUrl} />}
              </Notice>
            </div>
          )}
          {sandbox && (
            <p className="mb-5 text-[0.8125rem] text-muted">
              {sandbox.draws_all
                ? 'Sandbox: all images are test images. No upstream provider is called.'
                : `Sandbox: images of ${sandbox.models.join(', ')} are test images. No upstream provider is called for them.`}
            </p>
          )}
          {isAllowedFor(user.role, pathname) ? <Outlet /> : <NotFound />}
          <ZoneFooter />
        </div>
      </main>
    </div>
  );
}

/** Says in which time zone times are, and lets choose it. */
function ZoneFooter() {
  const [zone, choose] = useZone();
  const own = nameZone('browser');
  return (
    <footer className="mt-10 flex flex-wrap items-center gap-x-2 gap-y-1 border-line border-t pt-4 text-muted text-xs">
      {own === 'UTC' ? (
        <span>Times are in UTC.</span>
      ) : (
        <label className="flex flex-wrap items-center gap-2">
          Times are in
          <select
            value={zone}
            onChange={({ target }) => choose(target.value as Zone)}
            className="min-h-8 max-w-full rounded-lg border border-line-strong bg-surface px-2 text-ink"
          >
            <option value="browser">{own}, as this browser</option>
            <option value="UTC">UTC</option>
          </select>
        </label>
      )}
      <span>Days of usage and of charges begin at 00:00 UTC.</span>
    </footer>
  );
}

const SHARED: readonly string[] = ['/', '/settings', '/sign-up'];

/** Returns true when an address is one of the pages of a role. Other pages are treated like pages that do not exist. */
function isAllowedFor(role: DashboardRole, pathname: string): boolean {
  return SHARED.includes(pathname) || (role === 'operator') === pathname.startsWith('/operator');
}

/** Ends the session and forgets all that was loaded. */
function SignOutButton() {
  const send = useSend('/sign-out');
  const signOut = (): void => {
    send.mutate(
      {},
      {
        onSuccess: () => {
          queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
          void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
        },
      },
    );
  };
  return (
    <button
      type="button"
      onClick={signOut}
      aria-label="Log out"
      title="Log out"
      className="grid size-9 shrink-0 place-items-center rounded-lg text-muted hover:bg-sunken hover:text-ink"
    >
      <LogOut aria-hidden className="size-4.5" />
    </button>
  );
}
