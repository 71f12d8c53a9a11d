/** Stops the shared gateway, if a test made it start. */
export default async function teardown() {
  await globalThis.acceptanceBroker?.close();
}
