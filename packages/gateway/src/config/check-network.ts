// Cross-checks of network settings: ports, mounts, origins, proxies, certificates.

import { X509Certificate } from 'node:crypto';
import { PROTOCOL_NAMES } from '@trivium/protocol/canonical';
import type { Building } from './building.ts';
import type { UpstreamSettings } from './config.ts';
import type { ConfigPath } from './problem.ts';
import type { ConfigData } from './schema.ts';
import { isCidr, parseHttpUrl } from './urls.ts';

/** Plain segments only, so that a mount has exactly one spelling. */
const MOUNT = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/;

/** Served with `mounts.short`; links may be below them, but not replace them. */
const SHORT_MOUNTS: readonly string[] = ['/v1', '/v1beta', '/v1beta1'];

const checkMounts = ({ mounts, blobs }: ConfigData, building: Building): void => {
  const seen: { readonly mount: string; readonly name: string }[] = [];
  const check = (mount: string, path: ConfigPath, name: string): void => {
    if (!MOUNT.test(mount)) {
      building.report(path, 'must start with "/", have no "/" at the end and only plain segments');
      return;
    }
    const other = seen.find(
      (each) => `${each.mount}/`.startsWith(`${mount}/`) || `${mount}/`.startsWith(`${each.mount}/`),
    );
    if (other !== undefined) building.report(path, `overlaps with ${other.mount} of ${other.name}`);
    seen.push({ mount, name });
  };
  for (const protocol of PROTOCOL_NAMES)
    for (const [index, mount] of mounts[protocol].entries())
      check(mount, ['mounts', protocol, index], `mounts.${protocol}`);
  check(blobs.mount, ['blobs', 'mount'], 'blobs.mount');
  if (mounts.short && SHORT_MOUNTS.includes(blobs.mount))
    building.report(
      ['blobs', 'mount'],
      `is one of the short paths (${SHORT_MOUNTS.join(', ')}); mounts.short turns them off`,
    );
};

const checkRanges = (ranges: readonly string[], path: ConfigPath, building: Building): void => {
  for (const [index, range] of ranges.entries())
    if (!isCidr(range)) building.report([...path, index], 'must be an address or a range such as 10.0.0.0/8');
};

const isOrigin = (text: string): boolean => text === '*' || parseHttpUrl(text)?.origin === text;

export const checkNetwork = (data: ConfigData, building: Building): void => {
  if (data.listen.port !== 0 && data.listen.port === data.admin.port)
    building.report(['admin', 'port'], `is the same as listen.port (${data.listen.port})`);
  const { members } = data.admin;
  if (members !== undefined && members.port !== 0 && [data.listen.port, data.admin.port].includes(members.port))
    building.report(['admin', 'members', 'port'], `is the same as that of another listener (${members.port})`);
  checkMounts(data, building);
  for (const [index, origin] of data.cors.origins.entries()) {
    if (!isOrigin(origin))
      building.report(['cors', 'origins', index], 'must be an origin such as https://app.example.com, or *');
  }
  checkRanges(data.listen.trustedProxies, ['listen', 'trustedProxies'], building);
  checkRanges(data.media.fetch.alsoAddresses, ['media', 'fetch', 'alsoAddresses'], building);
  checkRanges(data.webhooks.alsoAddresses, ['webhooks', 'alsoAddresses'], building);
};

const isCertificate = (pem: string): boolean => {
  try {
    new X509Certificate(pem);
    return true;
  } catch {
    return false;
  }
};

/** `inFlight` connections are enough for all admitted requests, so that none waits for one. */
export const buildUpstream = (data: ConfigData['upstream'], inFlight: number, building: Building): UpstreamSettings => {
  const ca = data.ca.flatMap((text, index) => {
    const path = ['upstream', 'ca', index];
    const pem = building.secret(text, path);
    if (pem !== undefined && !isCertificate(pem)) building.report(path, 'is not a certificate in PEM form');
    return pem === undefined ? [] : [pem];
  });
  const proxy = data.proxy === undefined ? undefined : building.secret(data.proxy, ['upstream', 'proxy']);
  if (proxy !== undefined && parseHttpUrl(proxy) === undefined)
    building.report(['upstream', 'proxy'], 'must be an http or https URL');
  return {
    ca,
    connectionsPerOrigin: data.connectionsPerOrigin ?? inFlight,
    allowInsecure: data.allowInsecure,
    ...(proxy === undefined ? {} : { proxy }),
  };
};
