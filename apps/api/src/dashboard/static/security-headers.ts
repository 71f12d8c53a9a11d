/** What pages may do beside having scripts, styles and pictures of their own. */
export interface SecurityExceptions {
  /** Another origin of pictures. */
  readonly images?: string;
  /** The hash of a style that is written into the page itself. */
  readonly style?: string;
  /** Whether relative addresses may be based on another path of this origin. */
  readonly base?: boolean;
}

/** What browsers are told of pages: nothing of anybody else, no script or style that is not a file of ours, no frames. */
export function securityHeaders({ images = '', style = '', base = false }: SecurityExceptions) {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${style}`,
    `img-src 'self' data: ${images}`,
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    `base-uri '${base ? 'self' : 'none'}'`,
    "frame-ancestors 'none'",
  ];
  return {
    'Content-Security-Policy': policy.map((rule) => rule.trim()).join('; '),
    'Referrer-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
  } as const;
}
