import type { GatewaySettings } from '../../settings/settings.ts';
import { createDocumentRules } from './document-rules.ts';
import {
  createPersistedDocuments,
  type PersistedDocuments,
} from './persisted/persisted-documents.ts';

const NOTHING_TO_LOAD =
  'SIGHUP loads persisted documents again, but PERSISTED_DOCUMENTS is off. To change other settings, restart the gateway.';

/** Loads the known documents. Rejects with a message that says what to do if one is not valid. */
export async function openPersistedDocuments(
  settings: Pick<
    GatewaySettings,
    'persisted' | 'federation' | 'documents' | 'production' | 'introspection'
  >,
): Promise<PersistedDocuments> {
  const documents = createPersistedDocuments(settings.persisted, createDocumentRules(settings));
  if (documents.isOn) await documents.load();
  return documents;
}

/**
 * Loads the documents again whenever the process gets SIGHUP, and reports the result. If persisted
 * documents are off, SIGHUP ends the process only in a terminal, which sends it when it is closed.
 */
export function reloadOnSignal(
  { isOn, load }: PersistedDocuments,
  report: (message: string) => void,
): void {
  if (!isOn && process.stdout.isTTY) return;
  process.on('SIGHUP', () => {
    if (!isOn) return report(NOTHING_TO_LOAD);
    load().then(
      (count) => report(`Persisted documents were loaded again: ${count}.`),
      ({ message }: Error) => report(`${message}\nThe earlier documents stay in force.`),
    );
  });
}
