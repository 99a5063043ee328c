/** Something that happened, as a record shows it that was read just now. */
export interface Fact {
  /** The kind of event, such as `TRANSACTION_CAPTURED`. */
  readonly kind: string;
  /** Tells it apart from others of its kind and merchant, whatever record shows it. */
  readonly subject: string;
  /** When it happened, by the service; null if that cannot be read. */
  readonly happened: Date | null;
  readonly transaction: string | null;
  /** The line, dispute, fraud alert or money operation that it is about, with its kind of node. */
  readonly item: { readonly kind: string; readonly id: string } | null;
  /** The entry of the transaction's trail. */
  readonly entry: object | null;
}
