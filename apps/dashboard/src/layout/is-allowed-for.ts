import type { DashboardRole } from '@image-gateway/shared/contract';

const SHARED: readonly string[] = ['/', '/settings', '/sign-up'];

/** Whether an address is one of the pages of a role: the others are as unknown to it as any that does not exist. */
export function isAllowedFor(role: DashboardRole, pathname: string): boolean {
  return SHARED.includes(pathname) || (role === 'operator') === pathname.startsWith('/operator');
}
