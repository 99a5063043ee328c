import { existsSync } from 'node:fs';
import type { z } from 'zod';
import type { ServiceUrls } from './gateway/settings.ts';
import type { SettingsGroup } from './settings/setting.ts';

/** The settings of the sandbox. */
export interface SandboxSettingsModule {
  readonly sandboxSettings: z.ZodObject;
  readonly sandboxGroups: readonly SettingsGroup[];
}

/** The sandbox, as far as the other program knows it. */
export interface SandboxModule {
  startSandbox(settings: object): Promise<EmbeddedSandbox>;
}

/** A sandbox that runs in this process. */
export interface EmbeddedSandbox extends ServiceUrls {
  readonly demoApp: { readonly id: string; readonly key: string };
  /** Where its data is stored, for people. */
  readonly storage: string;
  close(): Promise<void>;
}

const SETTINGS_FILE = './sandbox/settings.ts';
const SANDBOX_FILE = './sandbox/sandbox.ts';

/** Loads the settings of the sandbox; undefined if the folder `sandbox/` was deleted. */
export async function loadSandboxSettings(): Promise<SandboxSettingsModule | undefined> {
  return existsSync(new URL('sandbox/', import.meta.url)) ? load(SETTINGS_FILE) : undefined;
}

/** Loads the settings of the sandbox. Throws if the folder `sandbox/` was deleted. */
export async function requireSandboxSettings(): Promise<SandboxSettingsModule> {
  const settings = await loadSandboxSettings();
  if (settings === undefined) {
    throw new Error('There is no sandbox here: set USERS_URL, PAYMENTS_URL and POS_URL.');
  }
  return settings;
}

/** Loads the sandbox. It is imported by name, so that the program compiles without it. */
export function loadSandbox(): Promise<SandboxModule> {
  return load(SANDBOX_FILE);
}

/** The compiler does not see what is imported by a name, so the caller states its type. */
async function load<Module>(file: string): Promise<Module> {
  return import(file);
}
