import type { TypedDocumentString } from './gql/graphql.ts';

/** Sends one operation. Its variables and its answer have the types of its document. */
export type Execute = <Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
) => Promise<Answer<Data>>;

/** The gateway's answer: data, errors or both. */
export interface Answer<Data> {
  readonly data?: Data | null;
  readonly errors?: readonly AnswerError[];
}

/** An entry of `errors`, with the fields that this frontend uses. */
export interface AnswerError {
  readonly message: string;
  readonly extensions?: { readonly code?: string; readonly outcome?: 'UNKNOWN' };
}

/** Thrown if the gateway returned errors instead of a result. */
export class AnswerFailure extends Error {
  constructor(errors: readonly AnswerError[] = []) {
    super(errors.map(({ message }) => message).join(' ') || 'No data.');
  }
}

/** Returns a function that sends operations to a gateway, with the key of an app. */
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

/** The data of an answer without errors. This frontend shows complete pages only. */
export function requireData<Data>({ data, errors }: Answer<Data>): Data {
  if (errors || !data) throw new AnswerFailure(errors);
  return data;
}
