// The configuration that `trivium import` writes: a comment for each part, no secret, and at its end what could not be carried over.

import type { DraftModel, DraftProvider, ImportDraft } from './draft.ts';

/** Plain words that YAML reads as something else. */
const NOT_TEXT = /^(?:true|false|null|yes|no|on|off)$/i;
const quoted = (text: string): string =>
  /^[A-Za-z_/][\w./@-]*$/.test(text) && !NOT_TEXT.test(text) ? text : JSON.stringify(text);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

const inline = (members: Readonly<Record<string, string>>): string =>
  `{ ${Object.entries(members)
    .map(([name, value]) => `${name}: ${quoted(value)}`)
    .join(', ')} }`;

function providerText({ id, baseUrl, dialect, auth, variables, credentials }: DraftProvider): string {
  const [first, ...further] = credentials;
  const lines = [
    ...(dialect === undefined ? [] : [`dialect: ${dialect}`]),
    ...(baseUrl === undefined ? [] : [`baseUrl: ${JSON.stringify(baseUrl)}`]),
    ...(auth === undefined ? [] : [`auth: ${auth}`]),
    ...(first === undefined ? [] : [`credential: env:${first}`]),
    ...(further.length === 0 ? [] : [`credentials: [${further.map((name) => `env:${name}`).join(', ')}]`]),
    ...(Object.keys(variables).length === 0 ? [] : [`variables: ${inline(variables)}`]),
  ];
  return lines.length === 0 ? `  ${id}: {}\n` : `  ${id}:\n${lines.map((line) => `    ${line}\n`).join('')}`;
}

const priceText = (usd: string): string => `[{ value: ${JSON.stringify(usd)}, unit: perMTokens, currency: USD }]`;

const modelText = ({ id, endpoints }: DraftModel): string =>
  [
    `  - id: ${quoted(id)}`,
    '    endpoints:',
    ...endpoints.flatMap(({ provider, dialect, upstreamModel, price }) => [
      `      - provider: ${provider}`,
      ...(dialect === undefined ? [] : [`        dialect: ${dialect}`]),
      `        upstreamModel: ${quoted(upstreamModel)}`,
      ...(price === undefined
        ? []
        : [
            '        pricings:',
            `          prompt: ${priceText(price.prompt)}`,
            `          completion: ${priceText(price.completion)}`,
          ]),
    ]),
    '',
  ].join('\n');

const section = (title: string, comment: string, body: string): string =>
  body === '' ? '' : `\n# ${comment}\n${title}:\n${body}`;

export function importedConfigText(source: string, draft: ImportDraft): string {
  const { providers, models, aliases, limits, notes, databaseVariable, redisVariable, maxAttempts, totalMs } = draft;
  return [
    `# Written by \`trivium import\` from a configuration of ${source}. Check it with \`trivium config check\`.\n`,
    '# Secrets are named here (env:NAME or file:/path) and stay elsewhere.\n',
    section(
      'keys',
      'Who may call. `trivium keys new` makes a secret and its hash.',
      '  - name: app\n    secret: env:TRIVIUM_KEY\n',
    ),
    section('providers', 'Who is called.', [...providers.values()].map(providerText).join('')),
    section(
      'models',
      'Models with endpoints of your own, tried in this order. Without prices they are for accounts that do not pay.',
      [...models.values()].map(modelText).join(''),
    ),
    section(
      'aliases',
      'Names that callers use.',
      [...aliases].map(([name, id]) => `  ${JSON.stringify(name)}: ${quoted(id)}\n`).join(''),
    ),
    limits.size === 0
      ? ''
      : `\n# What each model may be used for in a minute, over all callers.\nrateLimits:\n  models:\n${[...limits]
          .map(
            ([id, rule]) =>
              `    ${JSON.stringify(id)}: ${inline(Object.fromEntries(Object.entries(rule).map(([name, value]) => [name, String(value)])))}\n`,
          )
          .join('')
          .replaceAll(/"(\d+)"/g, '$1')}`,
    section(
      'retries',
      'Attempts, the first included.',
      maxAttempts === undefined ? '' : `  maxAttempts: ${maxAttempts}\n`,
    ),
    section('timeouts', 'For a request with all its attempts.', totalMs === undefined ? '' : `  totalMs: ${totalMs}\n`),
    section(
      'database',
      'Accounts, keys, credit and usage. A database of its own, PostgreSQL 15 or newer.',
      databaseVariable === undefined ? '' : `  url: env:${databaseVariable}\n`,
    ),
    section(
      'redis',
      'Rate limits shared by several nodes.',
      redisVariable === undefined ? '' : `  url: env:${redisVariable}\n`,
    ),
    notes.length === 0
      ? ''
      : `\n# Not carried over, or for you to finish:\n${notes.map(({ what, instead }) => `# - ${oneLine(`${what}: ${instead}`)}\n`).join('')}`,
  ].join('');
}
