import type { EffectFinder } from '../../operation/attempt.ts';
import { RestError } from '../../rest/rest-error.ts';

/** Creates what reports once that the service does not accept the key with which finders read. */
export function createKeyReporter(report: (message: string) => void) {
  let isReported = false;
  return (finder: EffectFinder): EffectFinder => ({
    findEffect: async (operation) => {
      try {
        return await finder.findEffect(operation);
      } catch (error) {
        if (error instanceof RestError && error.status === 401 && !isReported) {
          isReported = true;
          report(
            'MONEY_RECONCILE_API_KEY: the payments service does not accept this key, so unknown money operations are not reconciled in the background',
          );
        }
        throw error;
      }
    },
  });
}
