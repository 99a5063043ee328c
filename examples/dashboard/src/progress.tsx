import type { SearchFragment } from './gql/graphql.ts';
import { graphql } from './gql/index.ts';
import { showTime } from './show.ts';
import type { Loaded } from './use-query.ts';

graphql(`fragment Search on SearchProgress { examined examinedTo complete skipped }`);

/** A page of a list, or a part of a report. */
interface Part {
  readonly search?: SearchFragment | null;
  readonly endCursor?: string | null;
  readonly pageInfo?: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** Says what is loading, what failed and how far a search has come, and offers to continue. */
export function Progress({ loaded }: { loaded: Loaded<Part> }) {
  const { parts, busy, errors, load } = loaded;
  const { search, endCursor, pageInfo } = parts.at(-1) ?? {};
  const hasMore = pageInfo ? pageInfo.hasNextPage : search?.complete === false;
  const after = hasMore ? (pageInfo?.endCursor ?? endCursor ?? null) : null;
  const sum = (name: 'examined' | 'skipped') =>
    parts.reduce((total, part) => total + (part.search?.[name] ?? 0), 0);
  return (
    <div className="progress">
      {search && (
        <p role="status" className={search.complete ? 'complete' : 'incomplete'}>
          {search.complete ? 'Complete' : 'Incomplete'}: {sum('examined')} examined
          {search.examinedTo && !search.complete && `, back to ${showTime(search.examinedTo)}`}
          {sum('skipped') > 0 && `, ${sum('skipped')} unreadable`}
        </p>
      )}
      {busy && <p role="status">Loading…</p>}
      {errors && <p role="alert">{errors.map(({ message }) => message).join(' ')}</p>}
      {(errors || after !== null) && !busy && (
        <button type="button" onClick={() => load(errors ? null : after)}>
          {errors ? 'Try again' : search ? 'Examine older ones' : 'Show older ones'}
        </button>
      )}
    </div>
  );
}
