import { existsSync } from 'node:fs';
import type { z } from 'zod';
import type { ServiceUrls } from '../gateway/settings/settings.ts';
import { programFile } from '../package-files.ts';
import type { SettingsGroup } from '../settings/setting.ts';

/** The settings of the sandbox. */
export interface SandboxSettingsModule {
  readonly sandboxSettings: z.ZodObject;
  readonly sandboxGroups: readonly SettingsGroup[];
}

/** What the gateway's program uses of the sandbox. */
export interface SandboxModule {
  startSandbox(settings: object): Promise<EmbeddedSandbox>;
  /** Prints a request to a service in one line. */
  printRequest(request: object): void;
}

/** A sandbox that runs in this process. */
export interface EmbeddedSandbox extends ServiceUrls {
  readonly demoApp: { readonly id: string; readonly key: string };
  /** Describes where its data is stored. */
  readonly storage: string;
  /** Describes its clock at startup; undefined if it is the machine's. */
  readonly clockDifference: string | undefined;
  /** The control interface, if it is turned on. */
  readonly controlUrl: string | undefined;
  /** A link for paying a demo merchant, if there is one. */
  readonly paymentLink: string | undefined;
  close(): Promise<void>;
}

const SETTINGS = 'sandbox/settings';
const SANDBOX = 'sandbox/sandbox';
const PRINT = 'sandbox/http/request-log';

/**
 * How late the event loop may be with the sandbox in the same process: its database is embedded, so
 * a reset or a scene blocks the process longer than a gateway does.
 */
const LOOP_DELAY_MS = 10_000;

/** The limits of a gateway that shares its process with the sandbox. */
export function besideSandbox<Limits extends { readonly loopDelayMs?: number | undefined }>(
  limits: Limits,
): Limits {
  return { ...limits, loopDelayMs: limits.loopDelayMs ?? LOOP_DELAY_MS };
}

/** Loads the settings of the sandbox; undefined if the folder `sandbox/` was deleted. */
export async function loadSandboxSettings(): Promise<SandboxSettingsModule | undefined> {
  return existsSync(new URL(programFile(SETTINGS))) ? load(SETTINGS) : undefined;
}

/** Loads the settings of the sandbox. Throws if the folder `sandbox/` was deleted. */
export async function requireSandboxSettings(): Promise<SandboxSettingsModule> {
  const settings = await loadSandboxSettings();
  if (settings === undefined) {
    throw new Error('The sandbox is not installed. Set USERS_URL, PAYMENTS_URL and POS_URL.');
  }
  return settings;
}

/** Loads the sandbox. Imported by name, so that the program compiles without it. */
export async function loadSandbox(): Promise<SandboxModule> {
  const { startSandbox } = await load<Pick<SandboxModule, 'startSandbox'>>(SANDBOX);
  const { printRequest } = await load<Pick<SandboxModule, 'printRequest'>>(PRINT);
  return { startSandbox, printRequest };
}

/** The compiler cannot see a module imported by name, so the caller states its type. */
async function load<Module>(name: string): Promise<Module> {
  return import(programFile(name));
}
