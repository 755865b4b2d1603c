/** Concurrent calls of several tenants stay separate in stored and exported data: spans by trace, records by account. */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { ATTRIBUTES } from '../../../packages/gateway/src/telemetry/traces/names.ts';
import { callAdmin } from '../../support/admin-stand.ts';
import type { TestDatabase } from '../../support/database.ts';
import type { OtlpReceiver, ReceivedSpan } from '../../support/otlp-receiver.ts';
import { ask, chatQuestion } from '../parts/ask.ts';
import type { GatewayProcess } from '../parts/gateway-process.ts';
import type { MadeKey } from '../parts/operator.ts';

const ROUNDS = 4;
const WAIT_MS = 30_000;
const LOOK_EVERY_MS = 100;

/** Marks that only one tenant may see. */
type Marks = {
  readonly tenant: string;
  /** Names and ids: in its own spans and records. */
  readonly own: readonly string[];
  /** Words of answered prompts: they must not be in stored or exported data. */
  readonly text: string;
  readonly requestIds: readonly string[];
};

export type ApartFigures = {
  readonly requests: number;
  readonly spans: number;
  readonly recordCharacters: number;
  /** Requests without a server span or record: they would prove nothing. */
  readonly missing: readonly string[];
  /** Marks of one tenant in a span or record of another, or words of answered prompts in any. */
  readonly foreign: readonly string[];
};

const word = (): string => randomBytes(12).toString('hex');

/** Successful, failing and refused calls, with the tenant's marks in every field that a caller can set. */
async function callAs(gateway: GatewayProcess, model: string, { accountId, id, secret }: MadeKey): Promise<Marks> {
  const [name, text] = [`mark-${word()}`, `prompt-${word()}`];
  const questions = [
    chatQuestion(gateway.url, model, text, { user: name, metadata: { mark: name } }),
    chatQuestion(gateway.url, model, text, { user: name, stream: true }),
    // Provider errors are stored unchanged, and this one echoes its request.
    chatQuestion(gateway.url, model, `@simulate status=500 ${name}`, { user: name }),
    chatQuestion(gateway.url, `rt/${name}`, text),
  ];
  const requestIds: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const headers = { authorization: `Bearer ${secret}`, 'x-trivium-tags': `mark=${name}` };
    const replies = await Promise.all(questions.map((question) => ask({ ...question, headers })));
    requestIds.push(...replies.map((reply) => String(reply.headers['x-request-id'] ?? '')));
  }
  return { tenant: accountId, own: [name, id, ...requestIds], text, requestIds };
}

/** A span as text, with its attributes and events. */
const textOf = (span: ReceivedSpan): string =>
  JSON.stringify(span, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

/** The account of a trace is that of its server span; client spans do not have it. */
function accountsByTrace(spans: readonly ReceivedSpan[]): ReadonlyMap<string, string> {
  const named = spans.flatMap(({ traceId, attributes }) => {
    const account = attributes[ATTRIBUTES.account];
    return typeof account === 'string' ? [[traceId, account] as const] : [];
  });
  return new Map(named);
}

const readAs = ({ adminUrl }: GatewayProcess, { secret }: MadeKey, path: string) =>
  callAdmin(adminUrl, 'GET', path, undefined, { authorization: `Bearer ${secret}` });

/** What a tenant's own manager, and a reader of the database, can read of its requests. */
async function recordsOf(
  gateway: GatewayProcess,
  { tenant, requestIds }: Marks,
  manager: MadeKey,
  database: TestDatabase,
): Promise<string> {
  const base = `/accounts/${tenant}/requests`;
  const pages = [`${base}?limit=200`, `${base}.csv`, `${base}.ndjson`, '/usage?by=key,model,outcome', '/overview'];
  const texts: string[] = [];
  for (const path of [...pages, ...requestIds.map((id) => `${base}/${id}`)])
    texts.push((await readAs(gateway, manager, path)).text);
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ row: string }>(
    'select u::text as row from usage_events u where account_id = $1',
    [tenant],
  );
  await client.end();
  return [...texts, ...rows.map(({ row }) => row)].join('\n');
}

/** Marks of other tenants, and words of any prompt. */
const foreignIn = (text: string, where: string, tenant: string, all: readonly Marks[]): readonly string[] =>
  all.flatMap((marks) => [
    ...(marks.tenant === tenant ? [] : marks.own.filter((mark) => text.includes(mark))).map(
      (mark) => `${mark} of ${marks.tenant} in ${where} of ${tenant}`,
    ),
    ...(text.includes(marks.text) ? [`a prompt of ${marks.tenant} in ${where} of ${tenant}`] : []),
  ]);

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + WAIT_MS;
  while (!(await holds()) && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}

export async function playTenantsApart(
  gateway: GatewayProcess,
  model: string,
  keys: readonly MadeKey[],
  managers: Readonly<Record<string, MadeKey>>,
  { spans }: OtlpReceiver,
  database: TestDatabase,
): Promise<ApartFigures> {
  const all = await Promise.all(keys.map((key) => callAs(gateway, model, key)));
  const hasSpan = (id: string): boolean => spans.some(({ attributes }) => attributes[ATTRIBUTES.requestId] === id);
  await until(() => all.every(({ requestIds }) => requestIds.every(hasSpan)));
  const records = new Map<string, string>();
  for (const marks of all) {
    const manager = managers[marks.tenant];
    if (manager === undefined) throw new Error(`no manager of ${marks.tenant}`);
    await until(async () => {
      const { text } = await readAs(gateway, manager, `/accounts/${marks.tenant}/requests?limit=200`);
      return marks.requestIds.every((id) => text.includes(id));
    });
    records.set(marks.tenant, await recordsOf(gateway, marks, manager, database));
  }
  const accounts = accountsByTrace(spans);
  const recordOf = (tenant: string): string => records.get(tenant) ?? '';
  return {
    requests: all.reduce((sum, { requestIds }) => sum + requestIds.length, 0),
    spans: spans.length,
    recordCharacters: [...records.values()].reduce((sum, text) => sum + text.length, 0),
    missing: all.flatMap(({ tenant, own, requestIds }) => [
      ...requestIds.filter((id) => id === '' || !hasSpan(id)).map((id) => `no span of ${id}`),
      ...own.filter((mark) => !recordOf(tenant).includes(mark)).map((mark) => `${mark} in no record of ${tenant}`),
    ]),
    foreign: [
      ...spans.flatMap((span) => foreignIn(textOf(span), 'a span', accounts.get(span.traceId) ?? 'no account', all)),
      ...[...records].flatMap(([tenant, text]) => foreignIn(text, 'the records', tenant, all)),
    ],
  };
}
