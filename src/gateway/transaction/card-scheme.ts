/** The schemes that the API knows; OTHER for all others. */
export type CardScheme = 'VISA' | 'MASTERCARD' | 'OTHER';

/** The scheme that a service names; null if it names none. */
export function toScheme(name: string | null): CardScheme | null {
  if (name === null) return null;
  const known = name.toLowerCase();
  if (known === 'visa') return 'VISA';
  return known === 'mastercard' ? 'MASTERCARD' : 'OTHER';
}
