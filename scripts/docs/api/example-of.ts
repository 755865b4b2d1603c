/** An example of a JSON schema, always the same: by the names of members, by their forms, else by their types. */
export type Schema = { readonly [member: string]: unknown };
export type Schemas = Readonly<Record<string, Schema>>;

const TIME = '2026-11-17T09:30:00.000Z';
const KEY_ID = 'key_4f1c2a90b7d3';
const REQUEST_ID = '01KA3M6W0X4Q3R8C5JH0T2D9VB';

/** Values by name; a name of two parts is that of a schema, a call or a member, and of its own member. */
const VALUES: Readonly<Record<string, unknown>> = {
  'Account.id': 'acme',
  'Member.id': 'member_7b2e90c4d1aa',
  'Key.id': KEY_ID,
  'FoundKey.id': KEY_ID,
  'Order.id': 'order_5d0c81e2',
  'Model.id': 'openai/gpt-5.5',
  'ModelDetail.id': 'openai/gpt-5.5',
  'OwnModel.id': 'acme/llama-4',
  'OwnModelDefinition.id': 'acme/llama-4',
  'Provider.id': 'openai',
  'ProviderDetail.id': 'openai',
  'Host.id': 'openai',
  'RequestRow.id': REQUEST_ID,
  'RequestDetail.id': REQUEST_ID,
  'UsageOfRequest.id': REQUEST_ID,
  'Operation.id': 'Zk3vX0aQd1uJ8mT2bWc5Rg',
  'Webhook.id': 'wh_2c90d7',
  'AlertDestination.id': 'dest_91ab04',
  'Alert.id': '1042',
  'AuditEntry.id': '20480',
  'Price.id': '311',
  'Account.name': 'Acme',
  'Member.name': 'Ann',
  'Key.name': 'backend',
  'createAccount.id': 'acme',
  'createAccount.name': 'Acme',
  'addMember.name': 'Ann',
  'createKey.name': 'backend',
  'ModelAliasName.name': 'fast',
  'ModelAlias.name': 'fast',
  'PolicyVersion.name': 'europe',
  'savePolicy.name': 'europe',
  account: 'acme',
  accountId: 'acme',
  actor: 'operator',
  action: 'key.create',
  address: '203.0.113.7',
  addresse: '203.0.113.0/24',
  tolerate: 'logit_bias',
  burst: 100,
  admin: 'http://127.0.0.1:8081',
  amountUsd: '50.00',
  body: '{"model": "openai/gpt-5.5", "messages": [{"role": "user", "content": "Hello"}]}',
  by: 'day,model',
  code: 'ECONNREFUSED',
  costUsd: '0.000685',
  credential: 'sk-…',
  csrf: '9f1d…',
  currency: 'usd',
  data: 'http://127.0.0.1:8080',
  day: '2026-11-17',
  displayName: 'OpenAI',
  each: 'member',
  email: 'ann@example.com',
  endpoint: 'chat/completions',
  event: 'operation.succeeded',
  expiresAt: '2027-01-01T00:00:00Z',
  expiringBefore: '2026-12-31T00:00:00Z',
  from: '2026-11-01',
  format: 'openai-chat',
  hash: '4f1c2a90b7d3e815',
  configHash: '4f1c2a90b7d3e815',
  hostname: 'gateway-1',
  key: KEY_ID,
  keyId: KEY_ID,
  keyName: 'backend',
  limit: '50',
  member: 'member_7b2e90c4d1aa',
  memberId: 'member_7b2e90c4d1aa',
  members: 'http://127.0.0.1:8083',
  memo: 'Invoice 2026-117',
  message: 'Account "acme" not found.',
  meter: 'prompt',
  model: 'openai/gpt-5.5',
  askedModel: 'gpt-5.5',
  month: '200.00',
  name: 'first',
  next: null,
  node: 'gateway-1',
  owner: 'openai',
  operation: 'text',
  outcome: 'ok',
  parent: 'acme-group',
  parentId: null,
  path: '/v1/chat/completions',
  place: 'providers.openai',
  prefix: 'sk-trivium-Ab3',
  protocol: 'chat',
  provider: 'openai',
  q: 'acme',
  requestId: REQUEST_ID,
  scope: 'account',
  secret: 'sk-trivium-…',
  span: 'month',
  per: 'month',
  startLine: 'POST /v1/chat/completions',
  subject: KEY_ID,
  tag: 'team=search',
  text: 'You exceeded your current quota.',
  timeZone: 'Europe/Berlin',
  to: '/console/requests',
  tz: 'Europe/Berlin',
  total: '1000.00',
  unit: 'perMTokens',
  upstreamModel: 'gpt-5.5-2026-04-23',
  until: '2026-12-01',
  url: 'https://app.example.com/hooks',
  usd: '200.00',
  value: 'search',
  version: '0.9.0',
  why: 'openai-chat to openai-responses',
  requestsPerMinute: 600,
  tokensPerMinute: 200_000,
  usdPerMinute: 2,
  inFlight: 20,
  retention: 30,
  contextLength: 400_000,
  maxOutputTokens: 128_000,
  graceSeconds: 3600,
  amountMinor: 5000,
};

/** In words: names that end like this. */
const ENDS: readonly (readonly [end: RegExp, value: unknown])[] = [
  [/Usd$/, '12.50'],
  [/(?:^at|At|Until)$/, TIME],
  [/Ms$/, 412],
  [/(?:Id|^id)$/, 'id_4f1c2a90'],
  [/[bB]y$/, 'operator'],
  [/[mM]odel$/, 'openai/gpt-5.5'],
];

type Spot = {
  readonly schemas: Schemas;
  readonly owner: string;
  readonly within: readonly string[];
  readonly isWhole: boolean;
};

const asObject = (value: unknown): Readonly<Record<string, Schema>> =>
  (value ?? {}) as Readonly<Record<string, Schema>>;
const asList = (value: unknown): readonly Schema[] => (Array.isArray(value) ? (value as readonly Schema[]) : []);

/** Whether a value has the type and the form of a schema. */
function fits(value: unknown, { type, pattern, minimum, maximum, enum: words, maxLength }: Schema): boolean {
  if (Array.isArray(words)) return words.includes(value);
  if (type === 'string')
    return (
      typeof value === 'string' &&
      (typeof pattern !== 'string' || new RegExp(pattern).test(value)) &&
      value.length <= Number(maxLength ?? Number.POSITIVE_INFINITY)
    );
  if (type === 'integer' || type === 'number')
    return (
      typeof value === 'number' &&
      value >= Number(minimum ?? Number.NEGATIVE_INFINITY) &&
      value <= Number(maximum ?? Number.POSITIVE_INFINITY)
    );
  return false;
}

const CANDIDATES = [
  '2026-11-01',
  '2026-11-01T00:00:00Z',
  '20.00',
  'text',
  'team',
  'team=search',
  '50',
  '/v1/models',
  'env:NAME',
  'eur',
  '200',
  'account',
  'a/b',
  'ann@example.com',
];

function scalar(name: string, schema: Schema, { owner }: Spot): unknown {
  const { type, format, minimum, examples } = schema;
  const known = [
    VALUES[`${owner}.${name}`],
    VALUES[name],
    ...ENDS.filter(([end]) => end.test(name)).map(([, value]) => value),
  ];
  const found = known.find((value) => value !== undefined && fits(value, schema));
  if (found !== undefined && format === undefined) return found;
  if (Array.isArray(examples)) return examples[0];
  if (format === 'date-time') return TIME;
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return Math.max(1, Number(minimum ?? 1));
  return CANDIDATES.find((value) => fits(value, schema)) ?? 'text';
}

function objectOf(schema: Schema, spot: Spot): unknown {
  const { properties, required, patternProperties, additionalProperties, minProperties, maxProperties } = schema;
  const all = Object.entries(asObject(properties));
  const needed = new Set(Array.isArray(required) ? (required as readonly string[]) : []);
  const wanted = spot.isWhole ? all : all.filter(([name]) => needed.has(name));
  const least = Math.max(Number(minProperties ?? 0), spot.isWhole ? 0 : 1);
  const more = all.filter(([name]) => !needed.has(name)).slice(0, Math.max(0, least - wanted.length));
  const chosen = [...wanted, ...(spot.isWhole ? [] : more)].slice(0, Number(maxProperties ?? Number.POSITIVE_INFINITY));
  const members = chosen.flatMap(([name, member]) => {
    const value = exampleAt(name, member, spot);
    return value === undefined ? [] : [[name, value] as const];
  });
  const [open] = Object.values(asObject(patternProperties));
  if (members.length === 0 && open !== undefined)
    return { team: Object.keys(open).length === 0 ? 'search' : exampleAt('team', open, spot) };
  if (members.length === 0 && typeof additionalProperties === 'object' && additionalProperties !== null)
    return { team: exampleAt('team', additionalProperties as Schema, spot) };
  return Object.fromEntries(members);
}

/** Undefined where the schema is inside itself. */
function exampleAt(name: string, schema: Schema, spot: Spot): unknown {
  const { $ref, const: constant, enum: words, anyOf, type, items, example } = schema;
  if (typeof $ref === 'string') {
    const target = $ref.split('/').at(-1) ?? '';
    if (spot.within.includes(target)) return undefined;
    return exampleAt(name, spot.schemas[target] ?? {}, { ...spot, owner: target, within: [...spot.within, target] });
  }
  if (example !== undefined) return example;
  if (constant !== undefined) return constant;
  if (Array.isArray(words)) {
    const known = VALUES[`${spot.owner}.${name}`] ?? VALUES[name];
    return words.includes(known) ? known : words[0];
  }
  if (Array.isArray(anyOf)) {
    if (VALUES[name] === null && asList(anyOf).some((branch) => branch['type'] === 'null')) return null;
    for (const branch of asList(anyOf).filter((one) => one['type'] !== 'null')) {
      const value = exampleAt(name, branch, spot);
      if (value !== undefined) return value;
    }
    return asList(anyOf).some((branch) => branch['type'] === 'null') ? null : undefined;
  }
  if (type === 'array') {
    const item = items === undefined ? undefined : exampleAt(name.replace(/s$/, ''), items as Schema, spot);
    return item === undefined ? [] : [item];
  }
  if (type === 'null') return null;
  if (type === 'object' || schema['properties'] !== undefined || schema['patternProperties'] !== undefined)
    return objectOf(schema, spot);
  return type === undefined ? 'text' : scalar(name, schema, spot);
}

/** `isWhole`: with every member, as answers have them; otherwise with those that are required, and at least one. */
export const exampleOf = (schema: Schema, schemas: Schemas, owner: string, isWhole: boolean): unknown =>
  exampleAt('', schema, { schemas, owner, within: [], isWhole }) ?? {};

/** A parameter of a path or a query. */
export const parameterExample = (name: string, schema: Schema, owner: string): unknown =>
  exampleAt(name, schema, { schemas: {}, owner, within: [], isWhole: false });
