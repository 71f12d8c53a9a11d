import fs from 'node:fs';
import path from 'node:path';

/** The value in a JSON file; null when the file does not exist. A file that is no JSON is an error that names it. */
export function readJson<T>(file: string): T | null {
  let text: string;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return null;
    }
    throw error;
  }
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new Error(`${file} is not readable as JSON; remove it to have it made anew`, { cause });
  }
}

/** Writes a value as JSON that only its owner may read; a concurrent reader sees the old value or the new one, whole. */
export function writePrivateJson(file: string, value: unknown): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  fs.renameSync(temporary, file);
}
