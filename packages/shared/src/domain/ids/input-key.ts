import { randomBase62 } from './base62.js';

const ENTRY = /^input:([0-9A-Za-z]{22})$/;
const FILE_NAME = /^file_([0-9A-Za-z]{22})(?:\.(png|jpg|webp))?$/;

/** Upload of an input image. */
export interface InputName {
  /** 22 base-62 characters that carry 128 random bits. */
  readonly id: string;
  /** Entry of `image_urls` that names it. No request can send one, since it is no URL. */
  readonly entry: string;
  /** Key of its object. */
  readonly key: string;
}

/** File of `/v1/files` as a request names it. */
export interface FileName extends InputName {
  /** Public id, `file_…`. */
  readonly fileId: string;
  /** Extension that the name has; null without one. */
  readonly extension: string | null;
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

/** Returns the public id of the file of an upload. */
export function fileId(id: string): string {
  return `file_${id}`;
}

/** Parses the name of a file, its id with or without an extension; null for anything else. */
export function parseFileName(name: string): FileName | null {
  const [, id, extension = null] = FILE_NAME.exec(name) ?? [];
  return id === undefined ? null : { ...nameInput(id), fileId: fileId(id), extension };
}

/** Parses the id of a file or its URL, `{baseUrl}/v1/files/file_….png`; null for anything else. Query and fragment do not matter. */
export function parseFileEntry(entry: string, baseUrl: string): FileName | null {
  if (!entry.startsWith(`${baseUrl.replace(/\/+$/, '')}/v1/files/`)) {
    const name = parseFileName(entry);
    return name?.extension === null ? name : null;
  }
  return parseFileName(new URL(entry).pathname.split('/').at(-1) ?? '');
}

function nameInput(id: string): InputName {
  return { id, entry: `input:${id}`, key: inputKey(id) };
}
