/**
 * Splits the keys of a provider, comma-separated. A text that begins as JSON has the key file of a service account, or
 * several. Their own commas separate nothing, and each file becomes one key in base64.
 */
export function splitKeys(text: string): string[] {
  if (text.trim().startsWith('{')) {
    return splitFiles(text);
  }
  return text
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '');
}

function splitFiles(text: string): string[] {
  try {
    const files = JSON.parse(`[${text}]`) as unknown[];
    return files.map((file) => Buffer.from(JSON.stringify(file)).toString('base64'));
  } catch {
    // A file that was cut is one key, which no provider accepts.
    return [Buffer.from(text.trim()).toString('base64')];
  }
}
