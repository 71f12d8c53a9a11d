/** Exceptions for pages beside their own scripts, styles and images. */
export interface SecurityExceptions {
  /** Another origin of images. */
  readonly images?: string;
  /** The hash of a style that is written into the page itself. */
  readonly style?: string;
  /** True when the page sets a base URL of this origin. */
  readonly base?: boolean;
}

/** Returns the security headers of pages: nothing from other origins, no inline script or style, no frames. */
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
