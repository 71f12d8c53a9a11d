/** An answer; an object is sent as JSON. */
export interface StubResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer | object | null;
}
