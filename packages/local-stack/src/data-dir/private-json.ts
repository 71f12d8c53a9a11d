import fs from 'node:fs';
import path from 'node:path';

/** Reads the value of a JSON file; null when the file does not exist. Throws an error that names a file without valid JSON. */
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
    throw new Error(`${file} is not valid JSON; remove it to create a new one`, { cause });
  }
}

/** Writes a value as JSON that only its owner may read; a concurrent reader sees the old value or the new one, whole. */
export function writePrivateJson(file: string, value: unknown): void {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  fs.renameSync(temporary, file);
}
