import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';

/**
 * An endpoint leads into the operator's own network, or nowhere: whoever made it must not be able to
 * find out which names there are in that network.
 */
export class PrivateAddressError extends Error {
  constructor() {
    super('The host has no public address.');
  }
}

/** The only part of IPv6 that belongs to the Internet. */
const GLOBAL = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an address is one of the Internet, not of a network behind the gateway. */
export function isPublic(address: string): boolean {
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL)) return false;
  return parsed.range() === 'unicast';
}

type Found = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/**
 * Connects only to public addresses. The address is checked that the connection uses, so that a
 * name whose address changes does not get through.
 */
export function createPublicConnector(timeoutMs: number): buildConnector.connector {
  const lookupPublic = (name: string, options: LookupOptions, found: Found) => {
    lookup(name, options, (error, address, family) => {
      const all = typeof address === 'string' ? [{ address }] : (address ?? []);
      if (error === null && all.every((one) => isPublic(one.address)))
        found(error, address, family);
      else found(new PrivateAddressError(), '');
    });
  };
  const connect = buildConnector({ timeout: timeoutMs, lookup: lookupPublic });
  return (options, connected) => {
    // The address of a literal is not looked up.
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !isPublic(host)) return connected(new PrivateAddressError(), null);
    connect(options, connected);
  };
}
