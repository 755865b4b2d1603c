// The configuration that `trivium import` writes: a comment for each part, no secret, and at its end what could not be carried over.

import type { DraftProvider, DraftRules, ImportDraft } from './draft.ts';
import type { DraftModel } from './own-model.ts';
import type { RawMembers } from './values.ts';

/** Plain words that YAML reads as something else. */
const NOT_TEXT = /^(?:true|false|null|yes|no|on|off)$/i;
const quoted = (text: string): string =>
  /^[A-Za-z_/][\w./@-]*$/.test(text) && !NOT_TEXT.test(text) ? text : JSON.stringify(text);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

const inline = (members: Readonly<Record<string, string>>): string =>
  `{ ${Object.entries(members)
    .map(([name, value]) => `${name}: ${quoted(value)}`)
    .join(', ')} }`;

function providerText({ id, baseUrl, dialect, auth, quirks, variables, credentials }: DraftProvider): string {
  const [first, ...further] = credentials;
  const lines = [
    ...(dialect === undefined ? [] : [`dialect: ${dialect}`]),
    ...(baseUrl === undefined ? [] : [`baseUrl: ${JSON.stringify(baseUrl)}`]),
    ...(auth === undefined ? [] : [`auth: ${auth}`]),
    ...(first === undefined ? [] : [`credential: env:${first}`]),
    ...(further.length === 0 ? [] : [`credentials: [${further.map((name) => `env:${name}`).join(', ')}]`]),
    ...(Object.keys(variables).length === 0 ? [] : [`variables: ${inline(variables)}`]),
    ...membersText(quirks === undefined ? {} : { quirks }),
  ];
  return lines.length === 0 ? `  ${id}: {}\n` : `  ${id}:\n${lines.map((line) => `    ${line}\n`).join('')}`;
}

/** JSON is YAML: what is not for people to write stands on one line. */
const membersText = (members: RawMembers, indent = ''): readonly string[] =>
  Object.entries(members).map(([name, value]) => `${indent}${name}: ${JSON.stringify(value)}`);

const modelText = ({ id, facts, endpoints }: DraftModel): string =>
  [
    `  - id: ${quoted(id)}`,
    ...membersText(facts, '    '),
    '    endpoints:',
    ...endpoints.flatMap(({ provider, dialect, upstreamModel, price, facts: own }) => [
      `      - provider: ${provider}`,
      ...(dialect === undefined ? [] : [`        dialect: ${dialect}`]),
      `        upstreamModel: ${quoted(upstreamModel)}`,
      ...(price === undefined
        ? []
        : [
            '        pricings:',
            ...Object.entries(price).map(
              ([kind, { value, unit }]) =>
                `          ${kind}: [{ value: ${JSON.stringify(value)}, unit: ${unit}, currency: USD }]`,
            ),
          ]),
      ...membersText(own, '        '),
    ]),
    '',
  ].join('\n');

const MAX_NAME = 60;

/** A policy for each name that callers use, and one for all requests, if they say anything. */
function policyTexts(draft: ImportDraft): string {
  const taken = new Set<string>();
  const nameOf = (text: string): string => {
    const slug =
      text
        .toLowerCase()
        .replaceAll(/[^a-z0-9._-]+/g, '-')
        .replace(/^[^a-z0-9]+/, '')
        .slice(0, MAX_NAME) || 'model';
    for (let count = 1; ; count++) {
      const name = count === 1 ? slug : `${slug}-${count}`;
      if (taken.has(name)) continue;
      taken.add(name);
      return name;
    }
  };
  const textOf = (name: string, rules: DraftRules, models?: readonly string[]): string =>
    Object.keys(rules).length === 0
      ? ''
      : [
          `  - name: ${quoted(nameOf(name))}`,
          ...membersText({ ...(models !== undefined && { match: { models } }), ...rules }, '    '),
          '',
        ].join('\n');
  return [
    textOf('all', draft.rules),
    ...[...draft.groups.values()].map((group) => textOf(group.name, group.rules, draft.namesOf(group))),
  ].join('');
}

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
    section(
      'policies',
      'Which providers and models each name leads to, and what follows a failure (docs: Routing for operators).',
      policyTexts(draft),
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

/** `declared`: the accounts as YAML. */
export const accountsText = (source: string, declared: string): string =>
  [
    `# Written by \`trivium import\` from ${source}. Look at the changes with \`trivium apply -f <this file> --dry-run\`.\n`,
    '# Accounts limit what is spent and nothing else: `unlimited` means that no credit is needed.\n\n',
    declared,
  ].join('');
