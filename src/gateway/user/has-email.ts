/** Whether a record has an e-mail address, ignoring case and surrounding spaces. */
export function hasEmail({ email }: { readonly email?: unknown }, wanted: string): boolean {
  return typeof email === 'string' && normalise(email) === normalise(wanted);
}

function normalise(email: string): string {
  return email.trim().toLowerCase();
}
