// Removes internal addresses from a text: names the operator configured, IP addresses, names that resolve only inside a
// network, and any host with a port. Public names and links to documentation stay.

import { isIPv6 } from 'node:net';

const INTERNAL_SUFFIXES: readonly string[] = [
  '.internal',
  '.intranet',
  '.local',
  '.localdomain',
  '.localhost',
  '.svc',
  '.lan',
  '.corp',
  '.private',
  '.home.arpa',
];
const IPV4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;
const PUBLIC_FORM = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.[a-z]{2,}$/;
const SINGLE_LABEL = /^[a-z][a-z0-9-]*$/;

/** Buckets have names without a dot, and the caller may have named one. */
const BUCKET_URL = /^(?:gs|s3):/i;
/** The slashes may be escaped: error texts contain JSON inside strings. */
const URL_TEXT = /\b[a-z][a-z0-9+.-]{1,20}:(?:\\?\/){2}((?:[^\s"'<>\\]|\\\/)+)/gi;
const HOST_TEXT = /[a-z0-9][a-z0-9._-]*(?::\d{1,5}(?!\d))?/gi;
const IPV6_TEXT = /(?<![\w:.])\[?([0-9a-f:.]{2,45})(?:\]|(?![\w:.]))/gi;
/** Belongs to the sentence around a URL, not to the URL. */
const PUNCTUATION = new Set(['.', ',', ';', ':', '!', '?', ')']);

export function addressRedactor(hosts: readonly string[], redacted: string): (text: string) => string {
  // A name without a dot may be a word; a port or a scheme marks it as an address.
  const known = hosts.filter((host) => host.includes('.')).map((host) => new RegExp(host.replaceAll('.', '\\.'), 'gi'));

  /** `isUrl`: the text is known to be an address, whatever it looks like. */
  const isInternal = (name: string, port: string | undefined, isUrl: boolean): boolean => {
    const host = name.toLowerCase().replace(/\.$/, '');
    if (host === 'localhost' || IPV4.test(host)) return true;
    if (INTERNAL_SUFFIXES.some((suffix) => host.endsWith(suffix))) return true;
    if (isUrl) return port !== undefined || !host.includes('.');
    // `limit:20` is not an address; `vllm:8000` and `gpu.example.com:443` are.
    if (port === undefined) return false;
    return port.length >= 4 ? SINGLE_LABEL.test(host) || PUBLIC_FORM.test(host) : PUBLIC_FORM.test(host);
  };

  const redactUrl = (url: string, rest: string): string => {
    let end = url.length;
    while (PUNCTUATION.has(url.charAt(end - 1))) end--;
    const authority = /^[^/?#\\]*/.exec(rest)?.[0] ?? '';
    const host = authority.slice(authority.lastIndexOf('@') + 1);
    const [name = '', port] = host.split(':');
    if (BUCKET_URL.test(url)) return url;
    return host.startsWith('[') || known.some((form) => host.search(form) !== -1) || isInternal(name, port, true)
      ? redacted + url.slice(end)
      : url;
  };

  const redactHost = (text: string): string => {
    const [name = '', port] = text.split(':');
    return isInternal(name, port, false) ? redacted : text;
  };

  return (text) =>
    known
      .reduce((shown, form) => shown.replaceAll(form, redacted), text.replaceAll(URL_TEXT, redactUrl))
      .replaceAll(IPV6_TEXT, (whole, address: string) => (isIPv6(address) ? redacted : whole))
      .replaceAll(HOST_TEXT, redactHost);
}
