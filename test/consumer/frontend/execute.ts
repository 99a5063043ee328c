import type { TypedDocumentString } from './gql/graphql.ts';

/** Sends one operation. What it takes and what it gives have the types of its document. */
export type Execute = <Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
) => Promise<Answer<Data>>;

/** What the gateway says: data, errors, or some of both. */
export interface Answer<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly AnswerError[];
}

/** An entry of `errors`, as far as this frontend looks into it. */
export interface AnswerError {
  readonly message: string;
  readonly extensions?: { readonly code?: string; readonly outcome?: 'UNKNOWN' };
}

/** The gateway reported errors instead of what was asked for. */
export class AnswerFailure extends Error {
  constructor(errors: readonly AnswerError[] = []) {
    super(errors.map(({ message }) => message).join(' ') || 'No data.');
  }
}

/** Speaks to a gateway with the key of an app. */
export function connect(url: string, key: string): Execute {
  return async (document, variables) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ query: document, variables }),
    });
    return response.json();
  };
}

/** The data of a query without any error: this frontend shows no half pages. */
export function whole<Data>({ data, errors }: Answer<Data>): Data {
  if (errors || !data) throw new AnswerFailure(errors);
  return data;
}
