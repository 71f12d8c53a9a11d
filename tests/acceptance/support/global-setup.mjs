import { tsImport } from 'tsx/esm/api';

/** Opens the broker of the shared gateway before the first acceptance test. */
export default async function setup() {
  const { openBroker } = await tsImport('./broker.ts', import.meta.url);
  globalThis.acceptanceBroker = await openBroker();
  process.env.ACCEPTANCE_BROKER = globalThis.acceptanceBroker.url;
}
