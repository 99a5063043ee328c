import type { HttpResponse } from './response.ts';

/** What a caller gets: a response, half of one, or none. */
export type Outcome =
  | { readonly kind: 'complete' | 'half'; readonly response: HttpResponse; readonly fault?: string }
  /** The connection is closed, or kept open, without a response. */
  | { readonly kind: 'closed'; readonly fault: string }
  | { readonly kind: 'open'; readonly fault: string };
