import { randomBase62 } from './base62.js';

const ENTRY = /^input:([0-9A-Za-z]{22})$/;

/** Upload of an input image. */
export interface InputName {
  /** 22 base-62 characters that carry 128 random bits. */
  readonly id: string;
  /** Entry of `image_urls` that names it. No request can send one, since it is no URL. */
  readonly entry: string;
  /** Key of its object. */
  readonly key: string;
}

/** Returns the name of a new upload. */
export function newInputEntry(): InputName {
  return nameInput(randomBase62(128));
}

/** Parses an entry of `image_urls`; null for anything else than an upload. */
export function parseInputEntry(entry: string): InputName | null {
  const [, id] = ENTRY.exec(entry) ?? [];
  return id === undefined ? null : nameInput(id);
}

/** Returns the key of the object of an upload. */
export function inputKey(id: string): string {
  return `inputs/${id}`;
}

function nameInput(id: string): InputName {
  return { id, entry: `input:${id}`, key: inputKey(id) };
}
