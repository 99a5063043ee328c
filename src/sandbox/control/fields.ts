import { z } from 'zod';
import { anyText } from '../http/fields.ts';

/**
 * The range of the clock. Cards expire and payouts follow years later, and no year may have more
 * than four digits.
 */
const EARLIEST = Date.UTC(1970, 0, 1);
const LATEST = Date.UTC(9000, 0, 1);

const TIME = 'Must be from the year 1970 to the year 8999';

/** Whether the clock can be set to this time. */
export function isTime(time: Date): boolean {
  return time.getTime() >= EARLIEST && time.getTime() < LATEST;
}

/** A time that the clock can be set to. */
export const time = z.iso
  .datetime({ offset: true })
  .refine((text) => !(Date.parse(text) < EARLIEST || Date.parse(text) >= LATEST), TIME);

/** Text with a length in UTF-16 units. */
export function text(least: number, most: number) {
  return anyText.min(least).max(most);
}

/** Characters that end a line, or change the direction of the text around them. */
const NOT_IN_LINE = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u;

/** A name. It is shown in other texts, such as the subject of a mail. */
export const name = text(1, 200).refine(
  (value) => !NOT_IN_LINE.test(value) && (value === '' || value.trim() !== ''),
  'Must be one line of text, not only spaces',
);

const KINDS = { mer: 'merchant', txn: 'transaction', dsp: 'dispute', app: 'app' } as const;

/**
 * An id of the payments service, or the id of the same record in the graph, such as
 * `mer_6a1d3c007469000061c5ff45`.
 */
export function recordId(prefix: keyof typeof KINDS) {
  return z
    .string()
    .regex(
      new RegExp(`^(${prefix}_)?[0-9a-f]{24}$`),
      `Must be an id of 24 hexadecimal digits, or the id of a ${KINDS[prefix]} in the graph`,
    )
    .transform((id) => id.slice(-24));
}
