import { AppError } from '@image-gateway/shared/errors';
import type { DashboardDeps } from '../../dashboard-deps.js';
import type { UserCall } from '../define-route.js';

/**
 * Asks for the password of the user again: a browser that was left open does not do what needs it. Wrong ones count as attempts to log
 * in. Throws AppError `VALIDATION_ERROR`, `RATE_LIMITED`.
 */
export async function requirePassword(
  { auth, limits }: Pick<DashboardDeps, 'auth' | 'limits'>,
  { user, ip }: Pick<UserCall, 'user' | 'ip'>,
  given: string,
): Promise<void> {
  const attempt = { ip, email: user.email, device: { userId: user.userId, id: user.sessionId } };
  await limits.admit(attempt);
  if (!(await auth.isPassword(user.email, given))) {
    await limits.countFailure(attempt);
    throw new AppError('VALIDATION_ERROR', { publicMessage: 'The password is wrong.' });
  }
}
