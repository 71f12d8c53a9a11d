import type { DashboardRole } from '@image-gateway/shared/contract';

const SHARED: readonly string[] = ['/', '/settings', '/sign-up'];

/** Returns true when an address is one of the pages of a role. Other pages are treated like pages that do not exist. */
export function isAllowedFor(role: DashboardRole, pathname: string): boolean {
  return SHARED.includes(pathname) || (role === 'operator') === pathname.startsWith('/operator');
}
