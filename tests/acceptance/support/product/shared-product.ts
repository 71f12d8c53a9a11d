import { attachProduct, type Product } from './product.js';

async function ask<T>(path: string): Promise<T> {
  const broker = process.env.ACCEPTANCE_BROKER;
  if (broker === undefined) {
    throw new Error('ACCEPTANCE_BROKER is not set: run the tests through jest, whose global setup sets it');
  }
  const answer = await fetch(`${broker}${path}`);
  const text = await answer.text();
  if (!answer.ok) {
    throw new Error(text);
  }
  return JSON.parse(text) as T;
}

/** The gateway that plain test files share: fast settings, no rate limits, both models, a trusted proxy on loopback. */
export async function sharedProduct(): Promise<Product> {
  const { dataDir, settings } = await ask<{ dataDir: string; settings: Record<string, string> }>('/product');
  return attachProduct(dataDir, settings);
}

/** A port that the shared gateway's outbound guard lets through and that no other test file uses. */
export function allowedPort(): Promise<number> {
  return ask('/port');
}
