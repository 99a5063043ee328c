import { GraphQLError } from 'graphql';
import { FORBIDDEN, UNAUTHENTICATED } from './graphql/client-messages.ts';
import { StoreUnavailableError } from './operation/store/limit-store.ts';
import { InvalidIdError } from './rest/path.ts';
import { ForbiddenError, RestError, ShapeError } from './rest/rest-error.ts';

/** What a client may learn of an error. */
interface Shown {
  readonly code: string;
  readonly message: string;
  readonly service?: string | undefined;
  /** For a write that may or may not have taken effect. */
  readonly outcome?: 'UNKNOWN';
}

const services = { users: 'user-records', payments: 'payments' };

/**
 * The one door through which errors leave. It knows a few classes and what to say of
 * each; anything else is a defect of ours, told to `onDefect` and hidden from the
 * client. No address, body or stack passes.
 */
export function createDoor(onDefect: (error: unknown) => void) {
  return (error: unknown): Error => {
    if (!(error instanceof GraphQLError)) {
      onDefect(error);
      return new GraphQLError(UNEXPECTED.message, { extensions: { code: UNEXPECTED.code } });
    }
    const cause = error.originalError;
    if (cause === undefined || cause === null || cause instanceof GraphQLError) return error;
    const shown = show(cause);
    if (shown === undefined) onDefect(cause);
    const { message, ...extensions } = shown ?? UNEXPECTED;
    const { nodes = null, source, positions, path } = error;
    return new GraphQLError(message, { nodes, source, positions, path, extensions });
  };
}

const UNEXPECTED: Shown = { code: 'INTERNAL_SERVER_ERROR', message: 'Unexpected error.' };

function show(error: Error): Shown | undefined {
  if (error instanceof RestError) return showRest(error);
  if (error instanceof ForbiddenError) {
    return { code: 'FORBIDDEN', message: error.message, service: error.service };
  }
  if (error instanceof ShapeError) {
    return {
      code: 'UPSTREAM_BAD_RESPONSE',
      message: `The service's answer cannot be used: ${error.message}.`,
      ...(error.service === undefined ? {} : { service: error.service }),
    };
  }
  if (error instanceof StoreUnavailableError) {
    return { code: 'STORE_UNAVAILABLE', message: error.message };
  }
  if (error instanceof InvalidIdError) {
    // A caller's ids are checked with their arguments: this one came from a service.
    return { code: 'UPSTREAM_BAD_RESPONSE', message: 'A service named a record by what is no id.' };
  }
  return undefined;
}

function showRest({ service, status, failure, method, outcome }: RestError): Shown {
  const name = services[service];
  const unknown = method !== 'GET' && outcome === 'UNKNOWN';
  const more = unknown ? ({ service, outcome: 'UNKNOWN' } as const) : { service };
  const what = unknown
    ? ' It is not known whether the change was made: look before trying again.'
    : '';
  if (status === 401) return { code: 'UNAUTHENTICATED', message: UNAUTHENTICATED, service };
  if (status === 403) {
    return { code: 'FORBIDDEN', message: FORBIDDEN, service };
  }
  if (failure === 'timeout') {
    return {
      code: 'UPSTREAM_TIMEOUT',
      message: `The ${name} service did not answer in time.${what}`,
      ...more,
    };
  }
  const unavailable =
    failure === 'unreachable' || (status !== undefined && (status >= 500 || status === 429));
  return unavailable
    ? {
        code: 'UPSTREAM_UNAVAILABLE',
        message: `The ${name} service is not available.${what}`,
        ...more,
      }
    : {
        code: 'UPSTREAM_BAD_RESPONSE',
        message: `The ${name} service gave an answer that cannot be used.${what}`,
        ...more,
      };
}
