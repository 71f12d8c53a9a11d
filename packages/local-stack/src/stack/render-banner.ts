import type { RunState } from './run-file.js';

const SHOWN_MODELS = 5;

/**
 * Renders the text that is shown after the start: addresses, the API key, the users and two commands to copy. Without
 * `showsLogins` it says where these are.
 */
export function renderBanner(
  state: RunState,
  { showsLogins }: { readonly showsLogins: boolean } = { showsLogins: true },
): string {
  const { settings, services, apps, demo, operator, dashboardUrl } = state;
  const { providers = [], sandbox_models: drawn = [] } = state.providers;
  const { baseUrl } = settings;
  const lines = ['', `image-gateway is running. Ctrl-C stops it.`, ''];
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
  if (providers.length > 0) {
    lines.push(`  Providers    ${providers.join(', ')}`);
  }
  if (drawn.length > 0) {
    lines.push(`  Sandbox      draws test images for ${renderModels(drawn)}; no upstream is called for them`);
  }
  const embedded = Object.keys(services);
  if (embedded.length > 0) {
    lines.push(`  Embedded     ${embedded.join(', ')}`);
  }
  lines.push(`  Data         ${settings.dataDir} (what runs: run.json, logs: logs/)`);
  if (!showsLogins) {
    lines.push('  Log-ins      were shown at the first start; they are in run.json');
    return `${lines.join('\n')}\n\n`;
  }
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
      `  curl -s ${baseUrl}/v1/generate -H 'Authorization: Bearer ${demo.apiKey}'` +
        ` -H 'Content-Type: application/json' -d '{"model":"nanobanana","prompt":"a red fox in the snow"}'`,
      '',
      'Poll the newest task until its status is completed:',
      '',
      `  curl -s '${baseUrl}/v1/tasks?per_page=1' -H 'Authorization: Bearer ${demo.apiKey}'`,
    );
  }
  return `${lines.join('\n')}\n\n`;
}

/** Names the first models, and how many more there are. */
function renderModels(models: readonly string[]): string {
  const more = models.length - SHOWN_MODELS;
  return `${models.slice(0, SHOWN_MODELS).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
