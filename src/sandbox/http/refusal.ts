/** One complaint about the input. `field` is a dotted path, a parameter as written, or `body`. */
export interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/** Ends a request with a 4xx: thrown anywhere below a handler, written by the server. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Record<string, string> = {}) {
    super(`refused with ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** A refusal with a sentence for people; clients go by the status alone. */
export function refusal(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): Refusal {
  return new Refusal(status, { message }, headers);
}

/** 400 with every fault at once. */
export function badInput(faults: readonly FieldFault[]): Refusal {
  return new Refusal(400, faults);
}

/** 400 with one fault. */
export function badField(field: string, message: string): Refusal {
  return badInput([{ field, message }]);
}
