import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A request as a provider's own SDK or documents have it. */
export interface WireRequest {
  readonly method: string;
  /** At the provider's public address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly multipart?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly filename?: string;
    readonly contentType?: string;
    readonly bodyBase64?: string;
  }[];
}

/** An answer; a `fault` stands for no answer at all. */
export interface WireResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly bodyText?: string;
  readonly bodyBase64?: string;
  readonly fault?: { readonly type: string };
}

/** One request and its answer. */
export interface Exchange {
  readonly request: WireRequest;
  readonly response: WireResponse;
}

/** Expected reading of a case; the other words of a fixture describe the case and are not compared. */
export interface Expected {
  readonly outcome: 'success' | 'failure' | 'partial' | 'pending' | 'cancel' | 'models';
  readonly images?: number;
  readonly mimes?: readonly string[];
  readonly sha256?: readonly string[];
  readonly providerRequestId?: string;
  readonly errorClass?: string;
  readonly retrySame?: boolean;
  readonly failover?: boolean;
  readonly circuit?: string | null;
  readonly alert?: boolean;
  readonly ambiguous?: boolean;
  readonly retryAfterMs?: number | null;
  readonly accepted?: boolean;
  readonly missing?: number;
  readonly failures?: readonly (Omit<Expected, 'failures'> & { readonly index: number })[];
}

/** A recorded or composed case of a provider. */
export interface Fixture {
  readonly meta: {
    readonly provider: string;
    readonly case: string;
    readonly description: string;
    readonly expected: Expected;
  };
  readonly exchanges: readonly Exchange[];
}

/** Every fixture of a provider, from `test/providers/fixtures/<provider>/`, by case. */
export function loadFixtures(provider: string): ReadonlyMap<string, Fixture> {
  const folder = fileURLToPath(new URL(`../fixtures/${provider}/`, import.meta.url));
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return new Map(
    names.sort().map((name) => {
      const fixture = JSON.parse(readFileSync(`${folder}${name}`, 'utf8')) as Fixture;
      return [fixture.meta.case, fixture];
    }),
  );
}
