/**
 * B6: URLs that must not be fetched, with what they try. `PORT` is an allowed port; `files.example` is the only allowed host
 * and it redirects `/to/{url}`. Names resolve to the addresses in `NAMES`, one answer after the other.
 */
export type UrlCase = readonly [tries: string, url: string];

/** The addresses of a name; with several answers, each further lookup gets the next. */
export const NAMES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'files.example': [['127.0.0.1']],
  'private.example': [['127.0.0.2']],
  'metadata.example': [['169.254.169.254']],
  'intranet.example': [['10.0.0.1']],
  'mixed.example': [['127.0.0.1', '127.0.0.2']],
  'mixed-late.example': [['127.0.0.1', '127.0.0.1', '192.168.0.1']],
  'six.example': [['::1']],
  'unique-local.example': [['fd00::1']],
  'link-local.example': [['fe80::1']],
  'mapped.example': [['::ffff:127.0.0.2']],
  'nat64.example': [['64:ff9b::7f00:2']],
  'six-to-four.example': [['2002:7f00:2::']],
  'both.example': [['::1', '127.0.0.1']],
  'nowhere.example': [[]],
  'zero.example': [['0.0.0.0']],
  'broadcast.example': [['255.255.255.255']],
  'xn--private-4ve.example': [['127.0.0.2']],
  localhost: [['127.0.0.2'], ['::1']],
  'localhost.localdomain': [['127.0.0.2']],
  'metadata.google.internal': [['169.254.169.254']],
  'rebinding.example': [['192.168.0.9'], ['127.0.0.1']],
  // DNS rebinding: public when checked and private when dialled, for a client that resolves twice.
  'turning.example': [['127.0.0.1'], ['127.0.0.2']],
};

const at = (tries: string, ...hosts: string[]): UrlCase[] => hosts.map((host) => [tries, `http://${host}:PORT/png`]);
const plain = (tries: string, ...urls: string[]): UrlCase[] => urls.map((url) => [tries, url]);

/** The first and the last address of each range of IANA's registry, and a few that matter more than others. */
const SPECIAL_V4 = at(
  'a special IPv4 address',
  ...['0.0.0.1', '0.255.255.255', '10.0.0.0', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.100.100.200'],
  ...['100.127.255.255', '127.0.0.2', '127.0.0.53', '127.1.2.3', '127.255.255.254', '169.254.0.1', '169.254.169.254'],
  ...['169.254.170.2', '169.254.255.255', '172.16.0.1', '172.17.0.1', '172.31.255.255', '192.0.0.1', '192.0.0.170'],
  ...['192.0.0.192', '192.0.2.1', '192.31.196.1', '192.52.193.1', '192.88.99.1', '192.168.0.1', '192.168.255.255'],
  ...['192.175.48.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.250'],
  ...['240.0.0.1', '255.255.255.254', '255.255.255.255'],
);

const SPECIAL_V6 = at(
  'a special IPv6 address',
  ...['[::]', '[::1]', '[::2]', '[fe80::1]', '[fe80::1%25lo]', '[febf::1]', '[fec0::1]', '[fc00::1]', '[fd00::1]'],
  ...['[fd00:ec2::254]', '[fdff:ffff::1]', '[ff02::1]', '[ff05::1:3]', '[100::1]', '[2001::1]', '[2001:2::1]'],
  ...['[2001:10::1]', '[2001:20::1]', '[2001:db8::1]', '[2620:4f:8000::1]', '[3fff::1]', '[4000::1]', '[5f00::1]'],
);

const CARRYING_V4 = at(
  'an IPv4 address inside an IPv6 one',
  ...['[::ffff:127.0.0.1]', '[::ffff:127.0.0.2]', '[::ffff:7f00:1]', '[::FFFF:7F00:2]', '[0:0:0:0:0:ffff:7f00:2]'],
  ...['[::ffff:10.0.0.1]', '[::ffff:169.254.169.254]', '[::ffff:a9fe:a9fe]', '[::127.0.0.1]', '[::7f00:2]'],
  ...['[::ffff:0:127.0.0.2]', '[64:ff9b::7f00:2]', '[64:ff9b::169.254.169.254]', '[64:ff9b:1::a00:1]'],
  ...['[2002:7f00:2::]', '[2002:a9fe:a9fe::1]', '[2001:0:7f00:2::]', '[2001:0:0:0:0:0:80ff:fffd]'],
  ...['[fe80::5efe:127.0.0.2]', '[2600::5efe:7f00:2]', '[2600::200:5efe:7f00:2]', '[2600::0:5efe:a00:1]'],
);

const SPELLINGS = at(
  'another spelling of 127.0.0.2',
  ...['127.2', '127.0.2', '2130706434', '0x7f000002', '0X7F000002', '0x7f.0.0.2', '0x7f.2', '0177.0.0.2'],
  ...['017700000002', '0177.2', '00000177.0.0.2', '127.0.0.02', '127.0.0.0x2', '127.0.0.2.', '127.00.00.02'],
  ...['0x7f.0x0.0x0.0x2', '127.0x000002', '%31%32%37.0.0.2', '127%2e0%2e0%2e2', '①②⑦.⓪.⓪.②', '１２７.０.０.２'],
  ...['127。0。0。2', '127．0．0．2', '127｡0｡0｡2', '127.0.0.2%00', '127.0.0.2%20'],
);

const OTHER_SPELLINGS = at(
  'another spelling of an address that matters',
  ...[
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '169.254.43518',
    '0xa9.254.169.254',
    '3232235521',
    '167772161',
  ],
  ...['0', '0x0', '00', '0.0', '4294967295', '①⑥⑨.②⑤④.①⑥⑨.②⑤④'],
);

const PRIVATE_NAMES = at(
  'a name with a private address',
  ...[
    'private.example',
    'PRIVATE.EXAMPLE',
    'private.example.',
    'Private.eXample',
    'private。example',
    'ｐrivate.example',
  ],
  ...['private．example', 'priv%61te.example', 'metadata.example', 'intranet.example', 'mixed.example'],
  ...['mixed-late.example', 'six.example', 'unique-local.example', 'link-local.example', 'mapped.example'],
  ...['nat64.example', 'six-to-four.example', 'both.example', 'nowhere.example', 'unknown.example', 'zero.example'],
  ...['broadcast.example', 'localhost', 'LOCALHOST', 'localhost.', 'localhost.localdomain', 'metadata.google.internal'],
  ...['rebinding.example', 'ⅼocalhost', 'ｌｏｃａｌｈｏｓｔ', 'pri\u00advate.example', 'priv\u200bate.example'],
);

const USER_INFO = plain(
  'credentials, or what looks like them',
  'http://user@files.example:PORT/png',
  'http://user:word@files.example:PORT/png',
  'http://:word@files.example:PORT/png',
  'http://files.example:PORT@private.example:PORT/png',
  'http://files.example%3APORT@private.example:PORT/png',
  'http://private.example:PORT\\@files.example:PORT/png',
  'http://private.example:PORT#@files.example:PORT/png',
  'http://private.example:PORT?@files.example:PORT/png',
  'http://private.example:PORT/@files.example:PORT/png',
  'http://files.example@127.0.0.2:PORT/png',
  'http://files.example%40127.0.0.2:PORT/png',
  'http://files.example:PORT%40127.0.0.2:PORT/png',
);

const PORTS = plain(
  'a port that may not be asked',
  ...[21, 22, 25, 53, 110, 2375, 5432, 6379, 8081, 9200, 11211, 27017, 65535].map(
    (port) => `http://files.example:${port}/`,
  ),
  'http://files.example:0/',
  'http://files.example:65536/',
  'http://files.example:-1/',
  'http://files.example:PORTx/',
  'http://files.example:0xPORT/',
  'https://files.example:8443/',
);

const SCHEMES = plain(
  'another scheme',
  'file:///etc/passwd',
  'file://files.example/etc/passwd',
  'FILE:///etc/passwd',
  'gopher://127.0.0.2:PORT/_GET',
  'ftp://files.example/png',
  'ftps://files.example/png',
  'sftp://files.example/png',
  'tftp://files.example/png',
  'dict://127.0.0.2:PORT/info',
  'ldap://127.0.0.2/x',
  'jar:http://127.0.0.2:PORT/png!/',
  'ws://127.0.0.2:PORT/png',
  'wss://files.example/png',
  'blob:http://files.example:PORT/png',
  'javascript:fetch(1)',
  'about:blank',
  'view-source:http://127.0.0.2:PORT/png',
  'unix:/var/run/docker.sock',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/info',
  'git://127.0.0.2:PORT/x',
  'smb://127.0.0.2/share',
  'nfs://127.0.0.2/export',
  'gs://bucket/object',
  's3://bucket/object',
);

const MALFORMED = plain(
  'no URL at all',
  'http://',
  'http:///png',
  'http:/\\127.0.0.2:PORT/png',
  'http:127.0.0.2:PORT/png',
  'http:\\\\127.0.0.2:PORT\\png',
  '//127.0.0.2:PORT/png',
  '/png',
  '127.0.0.2:PORT/png',
  'files.example/png',
  'http://[::1/png',
  'http://::1/png',
  'http://files.example:PORT:PORT/png',
  'http://[files.example]:PORT/png',
  'http://127.0.0.2:PORT/png\r\nHost: files.example',
  '\u0000http://127.0.0.2:PORT/png',
  ' http://127.0.0.2:PORT/png',
  'ht\ntp://127.0.0.2:PORT/png',
  'http://a..b:PORT/png',
  `http://files.example:PORT/${'x'.repeat(5000)}`,
  `http://${'a'.repeat(300)}.example:PORT/png`,
);

const REDIRECTS = [
  ...at('', '127.0.0.2', '10.0.0.1', '169.254.169.254', '[::1]', '[::ffff:127.0.0.2]', '2130706434', '0x7f.2', '127.2'),
  ...at('', 'private.example', 'metadata.example', 'mixed.example', 'six.example', 'rebinding.example', 'localhost'),
  ...plain('', 'file:///etc/passwd', 'gopher://127.0.0.2:PORT/', '//127.0.0.2:PORT/png', '\\\\127.0.0.2:PORT\\png'),
  ...plain('', 'http://files.example:22/', 'http://user@files.example:PORT/png', 'ftp://files.example/', 'http://'),
  ...plain('', '//private.example:PORT/png', 'https://127.0.0.2:PORT/', 'data:image/png;base64,AAAA', ''),
].map(([, url]): UrlCase => ['a redirect', `http://files.example:PORT/to/${url}`]);

const CHAINS: readonly UrlCase[] = [
  ['a redirect behind a redirect', 'http://files.example:PORT/twice/http://127.0.0.2:PORT/png'],
  ['a redirect behind a redirect', 'http://files.example:PORT/twice/http://private.example:PORT/png'],
  ['redirects without end', 'http://files.example:PORT/loop'],
  ['one redirect too many', 'http://files.example:PORT/down/4'],
];

const BODIES = plain(
  'a file that is none, or too much of one',
  ...[
    'html',
    'missing',
    'zipped',
    'bomb',
    'endless',
    'huge',
    'silent',
    'slow',
    'reset',
    'empty',
    'svg',
    'truncated',
  ].map((path) => `http://files.example:PORT/${path}`),
);

/** Paths that are requested from the allowed host; all other URLs must not even be dialled. */
export const ASKED_CASES: readonly UrlCase[] = [...REDIRECTS, ...CHAINS, ...BODIES];
export const UNASKED_CASES: readonly UrlCase[] = [
  ...SPECIAL_V4,
  ...SPECIAL_V6,
  ...CARRYING_V4,
  ...SPELLINGS,
  ...OTHER_SPELLINGS,
  ...PRIVATE_NAMES,
  ...USER_INFO,
  ...PORTS,
  ...SCHEMES,
  ...MALFORMED,
];
