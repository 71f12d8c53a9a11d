/** @typedef {{ write(text: string): unknown, isTTY?: boolean }} Output */

/**
 * Shows one line for one slow step, with the time it has taken; `end` finishes the line.
 * @param {Output} out
 * @param {string} label
 * @returns {{ end(outcome?: string): void }}
 */
export function startProgress(out, label) {
  const started = performance.now();
  const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  out.write(`${label}… `);
  const ticker = out.isTTY ? setInterval(() => out.write(`\r${label}… ${seconds()} `), 1000) : undefined;
  ticker?.unref();
  return {
    end(outcome = 'done') {
      clearInterval(ticker);
      out.write(`${out.isTTY ? `\r${label}… ` : ''}${outcome} (${seconds()})\n`);
    },
  };
}
