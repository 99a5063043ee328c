/** How a sandbox is started. */
export interface SandboxConfig {
  readonly usersPort: number;
  readonly paymentsPort: number;
  readonly posPort: number;
  /** The demo app's key; without it one is made at first start and kept. */
  readonly demoKey?: string;
  /** Where invitations go out; without it they stay in the outbox. */
  readonly smtpUrl?: string;
  /** A PostgreSQL to use in place of the embedded database. */
  readonly databaseUrl?: string;
  /** Where the embedded database lies. */
  readonly dataDir: string;
}

/** Names every setting that is wrong, and how to mend it. */
export class SandboxConfigError extends Error {
  readonly complaints: readonly string[];

  constructor(complaints: readonly string[]) {
    super(complaints.join('\n'));
    this.complaints = complaints;
  }
}

/** Reads the sandbox's settings; the only reader of the environment in the sandbox. */
export function readSandboxConfig(env: NodeJS.ProcessEnv): SandboxConfig {
  const complaints: string[] = [];

  function port(name: string, fallback: number): number {
    const value = env[name]?.trim();
    if (!value) return fallback;
    if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
    complaints.push(`${name} takes a port from 0 to 65535 (0 picks a free one), not "${value}".`);
    return fallback;
  }

  const demoKey = env.SANDBOX_DEMO_KEY?.trim();
  if (demoKey && !/^[!-~]{1,200}$/.test(demoKey)) {
    complaints.push('SANDBOX_DEMO_KEY takes 1 to 200 printable characters without spaces.');
  }
  const databaseUrl = env.SANDBOX_DATABASE_URL?.trim();
  if (databaseUrl && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    complaints.push('SANDBOX_DATABASE_URL takes the address of a PostgreSQL: postgresql://…');
  }
  const smtpUrl = env.SMTP_URL?.trim();
  if (smtpUrl && !/^smtps?:\/\/./.test(smtpUrl)) {
    complaints.push('SMTP_URL takes the address of a mail server: smtp://… or smtps://…');
  }
  const config: SandboxConfig = {
    usersPort: port('SANDBOX_USERS_PORT', 2223),
    paymentsPort: port('SANDBOX_PAYMENTS_PORT', 2224),
    posPort: port('SANDBOX_POS_PORT', 2225),
    dataDir: env.DATA_DIR?.trim() || '.data',
    ...(demoKey ? { demoKey } : {}),
    ...(databaseUrl ? { databaseUrl } : {}),
    ...(smtpUrl ? { smtpUrl } : {}),
  };
  const ports = [config.usersPort, config.paymentsPort, config.posPort].filter((p) => p !== 0);
  if (new Set(ports).size < ports.length) {
    complaints.push('SANDBOX_USERS_PORT, SANDBOX_PAYMENTS_PORT and SANDBOX_POS_PORT must differ.');
  }
  if (complaints.length > 0) throw new SandboxConfigError(complaints);
  return config;
}
