import { createObjectStore, type ObjectStoreSettings } from '@image-gateway/shared/storage';
import { type CheckResult, fault, fine } from './check-result.js';

const PART = 'object store';
const TIMEOUT_MS = 5_000;

/** Tries the bucket: writing once, reading back, refusing strangers. `publicRead` when results are read past the API. */
export async function checkStorage(
  settings: ObjectStoreSettings,
  { publicRead }: { readonly publicRead: boolean },
): Promise<CheckResult[]> {
  const store = createObjectStore({ ...settings, timeoutMs: TIMEOUT_MS });
  try {
    const findings = await store.probe({ publicRead });
    return findings.map(({ ok, what, mend }) => (ok ? fine(PART, what) : fault(PART, what, mend)));
  } finally {
    store.close();
  }
}
