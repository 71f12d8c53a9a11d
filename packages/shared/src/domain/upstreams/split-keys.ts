import { parseObject, readKeyFile } from './key-file.js';

/**
 * Splits the keys of a provider, separated by commas or line ends. Plain key files of service accounts are not split at their
 * own commas and lines: each file becomes one key in base64. So does base64 that is written in lines.
 */
export function splitKeys(text: string): string[] {
  // Base64 has neither braces nor dashes in a row.
  if (readKeyFile(text) !== null && /[{"]|-----/.test(text)) {
    return splitFiles(text);
  }
  return text.split(',').flatMap((part) => joinLines(part.split(/[\r\n]+/).map((line) => line.trim())));
}

function splitFiles(text: string): string[] {
  const given = text.replace(/^\uFEFF/, '').trim();
  try {
    const files = JSON.parse(`[${given}]`) as unknown[];
    return files.map((file) => Buffer.from(JSON.stringify(file)).toString('base64'));
  } catch {
    // A file that was cut is one key, which no provider gets.
    return [Buffer.from(given).toString('base64')];
  }
}

/** Joins the lines of a file in base64, from its first one to the one that completes it; any other line is a key. */
function joinLines(lines: readonly string[]): string[] {
  const keys: string[] = [];
  let open = '';
  for (const line of lines.filter((one) => one !== '')) {
    const key = `${open}${line}`;
    const file = readKeyFile(key);
    open = file !== null && parseObject(file) === null ? key : '';
    if (open === '') {
      keys.push(key);
    }
  }
  return open === '' ? keys : [...keys, open];
}
