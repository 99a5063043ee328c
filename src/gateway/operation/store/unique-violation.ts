/** Whether a statement failed because a unique index has the value. Both drivers put PostgreSQL's error code into `code`. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}
