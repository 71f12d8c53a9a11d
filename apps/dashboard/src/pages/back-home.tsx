import { Navigate } from '@tanstack/react-router';

/** Where somebody goes who has just signed up. */
export function BackHome() {
  return <Navigate to="/" replace />;
}
