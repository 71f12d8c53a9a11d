import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorNotice } from './error-notice.js';
import { Loading } from './loading.js';

/** Shows what was loaded, or that it is being loaded, or why it could not be. */
export function Load<T>({
  query,
  rows,
  children,
}: {
  readonly query: UseQueryResult<T>;
  readonly rows?: number;
  readonly children: (data: T) => ReactNode;
}) {
  const { data, error, refetch } = query;
  if (data !== undefined) {
    return (
      <>
        {error && <ErrorNotice error={error} onRetry={() => void refetch()} />}
        {children(data)}
      </>
    );
  }
  if (error) {
    return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  }
  return <Loading {...(rows !== undefined && { rows })} />;
}
