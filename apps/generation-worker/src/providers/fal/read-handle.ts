import type { ProviderJob } from '../port.js';
import { asRecord } from '../record-of.js';
import type { JobPaths } from './job-paths.js';
import { readPaths } from './read-paths.js';

/** Reads back where a saved job is asked about; what is missing or odd is put together from the model. */
export function readHandle({ id, handle }: ProviderJob, model: string): JobPaths {
  const usual = readPaths(null, { id, model, basePath: '' });
  const saved = handle === null ? null : asRecord(parsed(handle));
  const path = (name: keyof JobPaths): string => {
    const value = saved?.[name];
    return typeof value === 'string' && /^\/[^/\\]/.test(value) ? value : usual[name];
  };
  return { status: path('status'), result: path('result'), cancel: path('cancel') };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
