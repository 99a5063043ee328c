import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { alertsFile } from './metrics-files/alert-rules.ts';
import { dashboardFile } from './metrics-files/dashboard.ts';
import { metricsPage } from './metrics-files/metrics-page.ts';

/** `npm run metrics` writes the files made from the metrics; with `--check` it only compares. */
const files = {
  'docs/metrics.md': metricsPage(),
  'deploy/prometheus/alerts.yaml': alertsFile(),
  'deploy/grafana/dashboard.json': dashboardFile(),
};

for (const [path, text] of Object.entries(files)) {
  const file = new URL(`../${path}`, import.meta.url);
  if (!process.argv.includes('--check')) {
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${path} does not match the declared metrics. Run \`npm run metrics\`.`);
    process.exitCode = 1;
  }
}
