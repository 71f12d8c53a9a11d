// Ends with 0 when this container itself answers, else with 1: `node healthcheck.mjs PORT /readyz` (the port's variable, then the path).
// Plain node, because the image holds no other HTTP client.
const [portVariable = 'PORT', path = '/readyz'] = process.argv.slice(2);

try {
  const url = `http://127.0.0.1:${process.env[portVariable]}${path}`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(4000) });
  if (!answer.ok) {
    throw new Error(`${path} answered ${answer.status}`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
