import { readSandboxConfig, SandboxConfigError } from './config.ts';
import { startSandbox } from './sandbox.ts';

/** `npm run sandbox`: both services without the gateway. */
async function main(): Promise<void> {
  const config = readSandboxConfig(process.env);
  const sandbox = await startSandbox({
    ...config,
    report: (message) => console.log(message),
    log: ({ service, method, path, status, durationMs, requestId }) =>
      console.log(`${service} ${method} ${path} ${status} ${durationMs}ms ${requestId}`),
  });
  // Before the addresses: who reads them may stop the program at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void sandbox.close().then(() => process.exit(0)));
  }
  console.log(`User records   ${sandbox.usersUrl}
Payments       ${sandbox.paymentsUrl}
Payment page   ${sandbox.posUrl}
Demo key       ${sandbox.demoApp.key}
Try            curl -u :${sandbox.demoApp.key} ${sandbox.paymentsUrl}/me
`);
}

main().catch((error) => {
  console.error(error.message);
  process.exit(error instanceof SandboxConfigError ? 2 : 1);
});
