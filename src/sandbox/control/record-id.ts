import { z } from 'zod';

/**
 * An id of the payments service. The id of the same record in the graph, such as
 * `mer_6a1d3c007469000061c5ff45`, is read, too.
 */
export const recordId = z
  .string()
  .regex(/^([a-z]{2,4}_)?[0-9a-f]{24}$/, 'Must be an id of 24 hexadecimal digits')
  .transform((id) => id.slice(-24));
