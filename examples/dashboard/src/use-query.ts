import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { type Answer, execute } from './gateway.ts';
import type { TypedDocumentString } from './gql/graphql.ts';

/** What a query has loaded. There are several parts if it was continued. */
export interface Loaded<Part> {
  readonly parts: readonly Part[];
  readonly busy: boolean;
  /** What could not be read. The rest is in the parts. */
  readonly errors: Answer<unknown>['errors'];
  /** Loads the part after a cursor or, with null, everything again. */
  readonly load: (after: string | null) => Promise<void>;
}

/** Loads a query when the component mounts, and when `revision` changes. */
export function useQuery<Data, Variables extends object, Part>(
  query: TypedDocumentString<Data, Variables>,
  variables: Variables,
  select: (data: Data) => Part | null | undefined,
  revision = '',
): Loaded<Part> {
  const [parts, setParts] = useState<readonly Part[]>([]);
  const [answer, setAnswer] = useState<Answer<Data>>();
  const latest = useRef(0);

  async function load(after: string | null) {
    latest.current += 1;
    const mine = latest.current;
    setAnswer(undefined);
    const loaded = await execute(query, after === null ? variables : { ...variables, after });
    // Only the answer to the latest request counts.
    if (mine !== latest.current) return;
    const part = loaded.data && select(loaded.data);
    if (part) setParts((before) => (after === null ? [part] : [...before, part]));
    setAnswer(loaded);
  }

  const reload = useEffectEvent(() => load(null));
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new revision is the reason to reload
  useEffect(() => void reload(), [revision]);
  return { parts, load, busy: answer === undefined, errors: answer?.errors };
}
