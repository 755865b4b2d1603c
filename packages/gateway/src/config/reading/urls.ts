// Rules for addresses in the configuration.

import { BlockList, isIP } from 'node:net';

export const parseHttpUrl = (text: string): URL | undefined => {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url : undefined;
};

const PRIVATE_RANGES = new BlockList();
for (const [network, prefix] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
] as const)
  PRIVATE_RANGES.addSubnet(network, prefix, 'ipv4');
PRIVATE_RANGES.addAddress('::1', 'ipv6');
PRIVATE_RANGES.addSubnet('fc00::', 7, 'ipv6');
PRIVATE_RANGES.addSubnet('fe80::', 10, 'ipv6');

const PRIVATE_SUFFIXES = ['.localhost', '.local', '.internal', '.lan'];

/** Names without a dot are search-list names of a private network, such as a service in a cluster. */
export const isPrivateHost = (hostname: string): boolean => {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const family = isIP(host);
  if (family !== 0) return PRIVATE_RANGES.check(host, family === 4 ? 'ipv4' : 'ipv6');
  return !host.includes('.') || PRIVATE_SUFFIXES.some((suffix) => host.endsWith(suffix));
};

const VARIABLE = /\{([a-z]+)\}/g;

/** Rules for the base URL of a provider. Each problem continues a sentence that begins with the setting. */
export function problemsOfBaseUrl(
  baseUrl: string,
  variables: Readonly<Record<string, unknown>>,
  allowInsecure: boolean,
): readonly string[] {
  const problems: string[] = [];
  const absent = [...baseUrl.matchAll(VARIABLE)]
    .map((match) => match[1] ?? '')
    .filter((name) => variables[name] === undefined);
  if (absent.length > 0) problems.push(`has no value for {${absent.join('}, {')}} in "variables"`);
  const url = parseHttpUrl(baseUrl.replace(VARIABLE, 'x'));
  if (url === undefined) return [...problems, 'must be an http or https URL'];
  if (url.username !== '' || url.password !== '') problems.push('must not hold a user or password; use "credential"');
  if (url.search !== '' || url.hash !== '') problems.push('must not have a query or a fragment');
  if (url.protocol === 'http:' && !allowInsecure && !isPrivateHost(url.hostname))
    problems.push('is plain http to a public host; use https, or set upstream.allowInsecure');
  return problems;
}

const PREFIX_LENGTH = /^(?:0|[1-9][0-9]{0,2})$/;

/** An address, or an address and a prefix length: `10.0.0.0/8`, `fd00::/8`, `192.0.2.7`. */
export const isCidr = (text: string): boolean => {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (PREFIX_LENGTH.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
};
