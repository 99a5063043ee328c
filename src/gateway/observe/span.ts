/** The value of an attribute. */
export type AttributeValue = string | number;

/** A span as it is exported: the name and times of something that a request has done. */
export interface SpanRecord {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly tracestate: string | undefined;
  readonly name: string;
  readonly kind: 'INTERNAL' | 'SERVER' | 'CLIENT';
  /** By `performance.now()`. */
  readonly start: number;
  readonly end: number;
  /** Undefined ones are left out. */
  readonly attributes: Readonly<Record<string, AttributeValue | undefined>>;
  readonly isError: boolean;
}
