import type { HttpResponse } from './response.ts';

/** The fault that affected a request. */
interface Affecting {
  readonly id: string;
  readonly kind: string;
}

/** What a caller gets: a response, half of one, or none. */
export type Outcome =
  | {
      readonly kind: 'complete' | 'half';
      readonly response: HttpResponse;
      readonly fault?: Affecting;
    }
  /** The connection is closed, or kept open, without a response. */
  | { readonly kind: 'closed'; readonly fault: Affecting }
  | { readonly kind: 'open'; readonly fault: Affecting };
