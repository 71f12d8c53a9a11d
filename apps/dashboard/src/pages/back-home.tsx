import { Navigate } from '@tanstack/react-router';

/** Redirect to the first page after signing up. */
export function BackHome() {
  return <Navigate to="/" replace />;
}
