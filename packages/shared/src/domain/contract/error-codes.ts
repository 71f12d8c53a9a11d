/** The one table of error codes and their HTTP status. */
export const HTTP_STATUS_BY_CODE = {
  BAD_REQUEST: 400,
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  INSUFFICIENT_BALANCE: 403,
  NOT_FOUND: 404,
  RANGE_NOT_SATISFIABLE: 416,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UPSTREAM_ERROR: 502,
  SERVICE_UNAVAILABLE: 503,
} as const;

/** A code of the error table. */
export type ErrorCode = keyof typeof HTTP_STATUS_BY_CODE;
