/** Malformed keys: each is refused in the error format of its protocol, and never with a 500. */
import { type RawReply, sendRaw } from '../../support/raw-bytes.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import { CREDENTIAL_HEADERS } from './matrix.ts';

const PATHS = {
  chat: '/api/v1/chat/completions',
  messages: '/api/anthropic/v1/messages',
  genai: '/api/vertex-ai/v1/publishers/rt/models/model:generateContent',
} as const;

const SQL = [
  "' or '1'='1",
  "'; drop table keys; --",
  "' union select secret from keys --",
  '" or ""="',
  "admin'--",
  "') or ('1'='1",
  '1; select pg_sleep(5)',
  "\\'; copy keys to program 'id'; --",
  '$$;select 1;$$',
  "' and 1=(select count(*) from keys) --",
];
const STRANGE = [
  '%s%s%s%n',
  '{{7*7}}',
  ['$', '{jndi:ldap://127.0.0.1/a}'].join(''),
  '../../../../etc/passwd',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'undefined',
  'null',
  'NaN',
  '*',
  '-',
  '🔑',
  'é'.repeat(50),
  '\u202Eyek',
  'Bearer',
  'Bearer Bearer x',
  'Basic dXNlcjpwYXNz',
  'a,b',
  'a;b',
];

/** Exactly `count` keys, the same for the same seed: attacks unchanged, cut, doubled, and mixed into a real key. */
export function hostileKeys(count: number, real: string, random: () => number): readonly string[] {
  const controls = Array.from(
    { length: 33 },
    (_, code) => `sk-trivium-${String.fromCharCode(code === 32 ? 127 : code)}x`,
  );
  const sizes = [511, 512, 513, 8000, 20_000, 1_048_576].map((length) => 'A'.repeat(length));
  const near = Array.from(
    { length: real.length },
    (_, at) => `${real.slice(0, at)}${real[at] === 'x' ? 'y' : 'x'}${real.slice(at + 1)}`,
  );
  const fixed = [
    ...SQL,
    ...STRANGE,
    ...controls,
    ...sizes,
    ...near,
    real.slice(0, -1),
    `${real}=`,
    real.toUpperCase(),
    `${real} ${real}`,
  ];
  const mixed = Array.from({ length: Math.max(0, count - fixed.length) }, () => {
    const attack = SQL[Math.floor(random() * SQL.length)] ?? '';
    const at = Math.floor(random() * real.length);
    const noise = Array.from({ length: 8 }, () => String.fromCharCode(Math.floor(random() * 256))).join('');
    return `${real.slice(0, at)}${random() < 0.5 ? attack : noise}${real.slice(at)}`;
  });
  return [...fixed, ...mixed].slice(0, count);
}

const hasErrorForm = (protocol: string, { status, body }: RawReply): boolean => {
  try {
    const answer = JSON.parse(body) as { type?: unknown; error?: Record<string, unknown> };
    if (typeof answer.error?.['message'] !== 'string') return false;
    if (protocol === 'messages') return answer.type === 'error' && typeof answer.error['type'] === 'string';
    return protocol === 'chat' ? typeof answer.error['type'] === 'string' : answer.error['code'] === status;
  } catch {
    return false;
  }
};

export type HostileFigures = {
  readonly sent: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
};

const AT_ONCE = 10;
const REFUSALS = new Set([400, 401, 431]);

export async function sendHostileKeys(gateway: GatewayProcess, keys: readonly string[]): Promise<HostileFigures> {
  const statuses: Record<string, number> = {};
  const wrong: string[] = [];
  const sendOne = async (index: number, key: string): Promise<void> => {
    const protocol = (['chat', 'messages', 'genai'] as const)[index % 3] ?? 'chat';
    const header = CREDENTIAL_HEADERS[Math.floor(index / 3) % 3] ?? 'authorization';
    const value = header === 'authorization' ? `Bearer ${key}` : key;
    const body = JSON.stringify({ model: 'rt/model', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] });
    const version = protocol === 'messages' ? 'anthropic-version: 2023-06-01\r\n' : '';
    const head = `POST ${PATHS[protocol]} HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\n${version}content-length: ${body.length}\r\n`;
    const bytes = Buffer.concat([
      Buffer.from(`${head}${header}: `),
      Buffer.from(value, 'utf8'),
      Buffer.from(`\r\n\r\n${body}`),
    ]);
    const { replies, hung } = await sendRaw(gateway, bytes);
    const reply = replies[0];
    const status = reply?.status ?? 0;
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (hung || reply === undefined || !REFUSALS.has(status) || !hasErrorForm(protocol, reply))
      wrong.push(
        `${protocol} ${header} ${JSON.stringify(key.slice(0, 40))}: ${hung ? 'hung' : status} ${reply?.body.slice(0, 120)}`,
      );
  };
  for (let at = 0; at < keys.length; at += AT_ONCE)
    await Promise.all(keys.slice(at, at + AT_ONCE).map((key, offset) => sendOne(at + offset, key)));
  return { sent: keys.length, statuses, wrong };
}
