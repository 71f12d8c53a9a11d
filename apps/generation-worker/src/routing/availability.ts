/** Whether a candidate may be asked at this moment, as far as all tasks of this process know; `last`: only when nobody else can be. */
export type Availability =
  | { readonly kind: 'ready'; readonly last: boolean }
  /** It asked to be left alone, or somebody is trying whether it works again. */
  | { readonly kind: 'paused'; readonly forMs: number }
  /** It has failed again and again. */
  | { readonly kind: 'open' };
