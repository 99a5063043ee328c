import { type Answer, createAsk } from '../../support/ask.ts';

const ABORT_AFTER_MS = 3;

const LIST = `{
  merchants(first: 5) {
    edges { node { id name transactions(first: 10) { edges { node { id amount { decimal } } } } } }
  }
}`;

/** What a request led to: the codes of its errors, or what was unexpected. */
type Outcome = { readonly errors?: unknown };

/**
 * Returns how to send requests of all kinds, one after the other: queries, requests with errors,
 * documents that nobody has sent before, and requests that the caller aborts. Whatever does not
 * lead to what it should is an error.
 */
export function createVisitor(url: string, key: string): () => Promise<Outcome> {
  const ask = createAsk(url, key);
  let count = 0;
  const kinds: (() => Promise<Outcome>)[] = [
    () => succeed(ask('{ viewer { name } }')),
    () => succeed(ask(LIST)),
    () => succeed(ask('{ users(first: 5) { edges { node { id name } } } }')),
    () => succeed(ask(`query Q${count} { merchants(first: ${count % 50}) { edges { cursor } } }`)),
    () => succeed(ask(`{ __typename } # ${count} ${'x'.repeat(count % 20_000)}`)),
    () => fail(ask(`{ merchants { field${count} } }`), 'GRAPHQL_VALIDATION_FAILED'),
    () => fail(ask('{ merchants('), 'GRAPHQL_PARSE_FAILED'),
    () => fail(ask('{ viewer { name } }', {}, null), 'UNAUTHENTICATED'),
    () => fail(ask('{ node(id: "nothing") { id } }'), 'BAD_USER_INPUT'),
    () => abort(ask(LIST, {}, key, AbortSignal.timeout(ABORT_AFTER_MS))),
  ];
  return async () => {
    const kind = kinds[count++ % kinds.length];
    return kind === undefined ? {} : kind();
  };
}

async function succeed(answer: Promise<Answer>): Promise<Outcome> {
  const { errors, data } = await answer;
  return errors === undefined && data != null ? {} : { errors: errors ?? 'no data' };
}

async function fail(answer: Promise<Answer>, code: string): Promise<Outcome> {
  const { errors = [] } = await answer;
  const isExpected =
    errors.length > 0 && errors.every(({ extensions }) => extensions.code === code);
  return isExpected ? {} : { errors: `${code} expected, not ${JSON.stringify(errors)}` };
}

/** An answer may come before the caller aborts; another error may not. */
async function abort(answer: Promise<Answer>): Promise<Outcome> {
  try {
    return await succeed(answer);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') return {};
    throw error;
  }
}
