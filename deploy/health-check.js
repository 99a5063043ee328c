/** The health check of the image, which has no shell: fails unless `GET /health` returns 200. */
const port = process.env.PORT?.trim() || '4000';
const response = await fetch(`http://127.0.0.1:${port}/health`, {
  signal: AbortSignal.timeout(4_000),
}).catch(() => undefined);
process.exitCode = response?.status === 200 ? 0 : 1;
