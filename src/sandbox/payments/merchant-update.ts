import {
  email,
  flagFromWord,
  InvalidValue,
  isMissing,
  optional,
  type Reader,
  text,
} from '../http/fields.ts';
import { merchantDescriptor } from './descriptors.ts';
import type { MerchantRow } from './merchant-row.ts';

/**
 * Returns the fields of an update. A merchant can be sent back as it was read: an immutable field
 * with the value that it has is accepted. Fields that the sandbox computes are not read.
 */
export function updateShape(merchant: MerchantRow) {
  return {
    id: immutable(merchant.id),
    key: immutable(merchant.key),
    name: optional(text(1, 200)),
    currency: immutable(merchant.currency),
    test: immutable(merchant.test),
    email: optional(email),
    website: immutable(merchant.website),
    descriptor: optional(merchantDescriptor),
    'company.country': immutable(merchant.country),
    'company.number': immutable(merchant.company_number),
    'bank.iban': immutable(merchant.iban),
  };
}

/** Rejects every value but the stored one. */
function immutable(stored: string | boolean | null): Reader<undefined> {
  return (value, encoding) => {
    if (isMissing(value)) return undefined;
    const isWord = encoding === 'form' && typeof stored === 'boolean' && typeof value === 'string';
    if ((isWord ? flagFromWord(value) : value) !== stored) {
      throw new InvalidValue('Cannot be changed');
    }
    return undefined;
  };
}
