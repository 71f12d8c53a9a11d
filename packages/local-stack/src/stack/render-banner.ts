import type { RunState } from './run-file.js';

/** Renders the text that is shown after the start: addresses, the API key, the users and two commands to copy. */
export function renderBanner(state: RunState): string {
  const { settings, env, services, apps, demo, operator, dashboardUrl } = state;
  const { baseUrl } = settings;
  const sandbox = isSandbox(env) ? ' (built-in sandbox provider: no provider key is set)' : '';
  const lines = ['', `image-gateway is running${sandbox}. Ctrl-C stops it.`, ''];
  if (apps.api) {
    lines.push(`  API          ${baseUrl}/v1`, `  Documents    ${baseUrl}/docs`);
    if (dashboardUrl !== null) {
      lines.push(`  Dashboard    ${baseUrl}/dashboard`);
    }
    lines.push(
      `  Health       ${baseUrl}/readyz`,
      `  Metrics      http://127.0.0.1:${apps.api.metricsPorts[0]}/metrics`,
    );
  }
  lines.push(
    `  Workers      ${apps.generationWorkers.length} generation, ${apps.webhookWorkers.length} webhook`,
  );
  const embedded = Object.keys(services);
  if (embedded.length > 0) {
    lines.push(`  Embedded     ${embedded.join(', ')}`);
  }
  lines.push(`  Data         ${settings.dataDir} (what runs: run.json, logs: logs/)`);
  if (demo) {
    lines.push(`  Demo account ${demo.email}  password ${demo.password}`, `  API key      ${demo.apiKey}`);
  }
  if (operator) {
    lines.push(`  Operator     ${operator.email}  password ${operator.password}`);
  }
  if (demo && apps.api) {
    lines.push(
      '',
      'Submit a task:',
      '',
      `  curl -s ${baseUrl}/v1/generate -H 'Authorization: Bearer ${demo.apiKey}' -H 'Content-Type: application/json' -d '{"model":"nanobanana","prompt":"a red fox in the snow"}'`,
      '',
      'Poll the newest task until its status is completed:',
      '',
      `  curl -s '${baseUrl}/v1/tasks?per_page=1' -H 'Authorization: Bearer ${demo.apiKey}'`,
    );
  }
  return `${lines.join('\n')}\n\n`;
}

/** Returns true when the sandbox is named alone, or nothing is named and no setting looks like a key or an address of a provider. */
function isSandbox(env: NodeJS.ProcessEnv): boolean {
  const names = Object.keys(env).filter((name) => /^[A-Z]+_(API_KEY|BASE_URL)$/.test(name));
  return env.PROVIDERS === undefined ? names.every((name) => !env[name]) : env.PROVIDERS === 'sandbox';
}
