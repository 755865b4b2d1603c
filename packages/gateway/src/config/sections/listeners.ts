// `listen`, `admin`, `mounts`, `genai` and `cors`: where callers, operators and members reach the gateway, and by which
// paths. Read, `admin` has the hash of the operator's secret; the secret itself is not retained.

import { PROTOCOL_NAMES } from '@trivium/protocol/canonical';
import Type, { type Static } from 'typebox';
import { hashSecret } from '../../people/accounts/key-secret.ts';
import type { ConfigPath } from '../reading/problem.ts';
import { parseHttpUrl } from '../reading/urls.ts';
import {
  type Building,
  checkRanges,
  flag,
  integer,
  list,
  optionalSection,
  optionalText,
  section,
  text,
} from './parts.ts';

const port = (fallback: number, description: string) => integer(0, 65_535, fallback, description);
const mount = (fallback: readonly string[], description: string) =>
  list(Type.String({ minLength: 2, maxLength: 200 }), 8, fallback, description);

export const listenSchema = section(
  {
    host: text(253, 'Address the data plane listens on.', '0.0.0.0'),
    port: port(8080, 'Port of the data plane; 0 takes any free one.'),
    publicUrl: optionalText(
      2048,
      'How callers reach the gateway, e.g. `https://gw.example.com`: the address in snippets of the console, and of `trivium connect`. Default: the address of the listener, which is not reachable from elsewhere behind a reverse proxy or in a container.',
    ),
    trustedProxies: list(
      Type.String({ minLength: 2, maxLength: 64 }),
      100,
      [],
      'Addresses or ranges of reverse proxies in front, e.g. `10.0.3.0/24`. From these peers, on both listeners, the address of a caller is the rightmost of `X-Forwarded-For` that is not one of them, and `X-Forwarded-Proto` is the scheme of links. From others both headers are ignored.',
    ),
  },
  'Where callers reach the gateway.',
);

export const adminSchema = section(
  {
    host: text(253, 'Address of the admin listener. Keep it on loopback or a private network.', '127.0.0.1'),
    port: port(8081, 'Port of the admin listener; 0 takes any free one.'),
    secret: optionalText(
      4096,
      'The secret of operators for the admin API, best as `env:NAME` or `file:/path`. Without it, the first start with a database generates one and prints it on a terminal, or writes it to the file `operator-secret` (mode 0600) in `ledger.journal`.',
    ),
    console: flag(true, 'Whether this listener, and the one for members, serve the web console below `/console/`.'),
    publicUrl: optionalText(
      2048,
      'How browsers reach the admin listener, e.g. `https://admin.example.com`: for cookies, links and the redirect URLs of sign-in. Needed behind a reverse proxy that terminates TLS; without it the address is read from the request. Sessions need `https`, or an address of this machine.',
    ),
    members: optionalSection(
      {
        host: text(253, 'Address of the listener for members.', '127.0.0.1'),
        port: port(8083, 'Port of the listener for members; 0 takes any free one.'),
        publicUrl: optionalText(2048, 'How browsers reach this listener, e.g. `https://console.example.com`.'),
      },
      'A further listener, for members of accounts: sign-in and what members may do at the admin API. It accepts no operator credential and serves no operator endpoints, no probes and no metrics. Absent: there is none.',
    ),
  },
  'The listener for operators: `/livez`, `/readyz`, `/metrics`, the admin API below `/admin/v1`, and the web console below `/console/`.',
);

export const mountsSchema = section(
  {
    chat: mount(['/api/v1'], 'Prefixes of the chat completions protocol.'),
    messages: mount(['/api/anthropic', '/api/messages'], 'Prefixes of the messages protocol.'),
    genai: mount(['/api/vertex-ai', '/api/genai'], 'Prefixes of the generate-content protocol.'),
    short: flag(
      true,
      'Also serves `/v1` (all three protocols), `/v1beta` and `/v1beta1` (generate content), so that base URLs work as with the vendors: `http://host/v1` for OpenAI SDKs, `http://host` for those of Anthropic and Google. Prefixes named above take precedence.',
    ),
  },
  'Path prefixes of the three protocols. An empty list switches a protocol off, at the short paths too.',
);

export const genaiSchema = section(
  {
    finishReason: Type.Enum(['auto', 'bare', 'prefixed'], {
      default: 'auto',
      description: 'Spelling of `finishReason`: `prefixed`, `bare` (`STOP`), or `auto` by the calling SDK.',
    }),
  },
  'The generate-content protocol.',
);

export const corsSchema = section(
  {
    origins: list(
      Type.String({ minLength: 1, maxLength: 300 }),
      100,
      [],
      'Origins browsers may call from, e.g. `https://app.example.com`; `*` for all. Empty: CORS is off.',
    ),
  },
  'Cross-origin access from browsers.',
);

type Listeners = {
  readonly listen: Static<typeof listenSchema>;
  readonly admin: Static<typeof adminSchema>;
  readonly mounts: Static<typeof mountsSchema>;
  readonly cors: Static<typeof corsSchema>;
  readonly blobs: { readonly mount: string };
};

/** Plain segments only, so that a mount has exactly one spelling. */
const MOUNT = /^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$/;

/** Served with `mounts.short`; links may be below them, but not replace them. */
const SHORT_MOUNTS: readonly string[] = ['/v1', '/v1beta', '/v1beta1'];

const checkMounts = ({ mounts, blobs }: Listeners, building: Building): void => {
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

const checkPublicUrl = (text: string | undefined, path: ConfigPath, building: Building): void => {
  if (text === undefined) return;
  const url = parseHttpUrl(text);
  if (url === undefined || url.href !== `${url.origin}/`)
    building.report(path, 'must be an http or https URL without a path, such as https://admin.example.com');
};

export const checkListeners = (data: Listeners, building: Building): void => {
  const { listen, admin, cors } = data;
  const { members } = admin;
  checkPublicUrl(listen.publicUrl, ['listen', 'publicUrl'], building);
  if (listen.port !== 0 && listen.port === admin.port)
    building.report(['admin', 'port'], `is the same as listen.port (${listen.port})`);
  if (members !== undefined && members.port !== 0 && [listen.port, admin.port].includes(members.port))
    building.report(['admin', 'members', 'port'], `is the same as that of another listener (${members.port})`);
  checkMounts(data, building);
  for (const [index, origin] of cors.origins.entries()) {
    if (origin !== '*' && parseHttpUrl(origin)?.origin !== origin)
      building.report(['cors', 'origins', index], 'must be an origin such as https://app.example.com, or *');
  }
  checkRanges(listen.trustedProxies, ['listen', 'trustedProxies'], building);
};

/** It grants full access, so secrets that could be guessed are refused. */
const MIN_SECRET_LENGTH = 32;

export const buildAdmin = (
  { secret, ...admin }: Static<typeof adminSchema>,
  building: Building,
): typeof admin & { readonly secretHash?: string } => {
  checkPublicUrl(admin.publicUrl, ['admin', 'publicUrl'], building);
  checkPublicUrl(admin.members?.publicUrl, ['admin', 'members', 'publicUrl'], building);
  if (secret === undefined) return admin;
  const path = ['admin', 'secret'];
  const value = building.secret(secret, path);
  if (value === undefined) return admin;
  if (value.length < MIN_SECRET_LENGTH) building.report(path, `must have at least ${MIN_SECRET_LENGTH} characters`);
  return { ...admin, secretHash: hashSecret(value) };
};
