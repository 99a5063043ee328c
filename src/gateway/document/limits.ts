/** What one document may contain. */
export interface DocumentLimits {
  readonly tokens: number;
  /** Levels of fields, with fragments expanded. */
  readonly depth: number;
  readonly aliases: number;
  readonly rootFields: number;
  /** Fields that move money. */
  readonly moneyFields: number;
  readonly directives: number;
  readonly complexity: number;
  /** How many errors of one document are reported. */
  readonly errors: number;
}
