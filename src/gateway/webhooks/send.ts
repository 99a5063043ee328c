import { Webhook } from 'standardwebhooks';
import { Agent, buildConnector } from 'undici';
import { USER_AGENT } from '../../package-files.ts';
import { createPublicConnector, PrivateAddressError } from './address-guard.ts';

/** A message to an endpoint. */
export interface Message {
  /** The same for every attempt. */
  readonly id: string;
  readonly url: string;
  /** The newest first. Each signs the message. */
  readonly secrets: readonly string[];
  readonly body: string;
}

/** How an attempt ended. */
export interface Attempted {
  /** Status of the response; null without one. */
  readonly status: number | null;
  /** Why there is no usable response, in words; null if it was accepted. */
  readonly error: string | null;
  readonly durationMs: number;
}

/** How long an attempt may take. */
const TIMEOUT_MS = 15_000;
/** What is read of a response. Nothing of it is stored but the status. */
const MAX_RESPONSE_BYTES = 65_536;
/** What is received in all: also interim responses, headers and the frames of chunks. */
const MAX_RECEIVED_BYTES = 2 * MAX_RESPONSE_BYTES;

class ReceivedTooMuchError extends Error {}

/** Sends messages to endpoints, signed as https://www.standardwebhooks.com says. */
export interface Sender {
  send(message: Message): Promise<Attempted>;
  close(): Promise<void>;
}

/**
 * Creates the sender.
 *
 * @param mayBePrivate whether endpoints can be in the operator's own network
 */
export function createSender(mayBePrivate: boolean): Sender {
  const connector = mayBePrivate
    ? buildConnector({ timeout: TIMEOUT_MS })
    : createPublicConnector(TIMEOUT_MS);
  const agent = new Agent({
    connect: limitReceived(connector),
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    pipelining: 0,
  });

  async function post({ id, url, secrets, body }: Message): Promise<number> {
    const now = new Date();
    const signatures = secrets.map((secret) => new Webhook(secret).sign(id, now, body));
    const { origin, pathname, search } = new URL(url);
    const response = await agent.request({
      ...{ origin, path: pathname + search, method: 'POST', body },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        'content-type': 'application/json',
        'user-agent': USER_AGENT,
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': signatures.join(' '),
      },
    });
    // The status decides, even if the rest does not come.
    await response.body.dump({ limit: MAX_RESPONSE_BYTES }).catch(() => {});
    return response.statusCode;
  }

  return {
    send: async (message) => {
      const start = performance.now();
      const end = () => Math.round(performance.now() - start);
      try {
        const status = await post(message);
        const isAccepted = status >= 200 && status < 300;
        const error = isAccepted ? null : `The status was ${status}.`;
        return { status, error, durationMs: end() };
      } catch (error) {
        return { status: null, error: describe(error), durationMs: end() };
      }
    },
    close: () => agent.destroy(),
  };
}

/** Closes connections that receive too much. */
function limitReceived(connect: buildConnector.connector): buildConnector.connector {
  return (options, connected) =>
    connect(options, (...result) => {
      const [, socket] = result;
      socket?.on('readable', () => {
        if (socket.bytesRead > MAX_RECEIVED_BYTES) socket.destroy(new ReceivedTooMuchError());
      });
      connected(...result);
    });
}

/** Why a message was not sent. Never shows what the network says, which could be of others. */
function describe(error: unknown): string {
  if (error instanceof PrivateAddressError) return error.message;
  if (error instanceof ReceivedTooMuchError) return 'The response was too large.';
  const { name = '', code = '' } = error as { readonly name?: string; readonly code?: string };
  if (name === 'TimeoutError' || code.includes('TIMEOUT')) return 'There was no response in time.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The host name is not known.';
  if (code === 'ECONNREFUSED') return 'The connection was refused.';
  if (/CERT|SSL|TLS/.test(code)) return 'The TLS certificate is not valid.';
  return 'The connection failed.';
}
