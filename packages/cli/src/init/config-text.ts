// The configuration that `trivium init` writes: short, with a comment for each part and no secret in it.

import type { Answers, ProviderAnswer } from './answers.ts';

const settingsOf = ({ settings }: ProviderAnswer): readonly string[] => {
  const pairs = Object.entries(settings).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return pairs.length === 0 ? [] : [`variables: { ${pairs.join(', ')} }`];
};

const providerText = (provider: ProviderAnswer): string => {
  const { id, displayName, variable, baseUrl } = provider;
  const lines = [
    ...(variable === undefined ? [] : [`credential: env:${variable}`]),
    ...(baseUrl === undefined ? [] : [`baseUrl: ${JSON.stringify(baseUrl)}`]),
    ...settingsOf(provider),
  ];
  const body = lines.length === 0 ? ' {}' : lines.map((line) => `\n    ${line}`).join('');
  return `  # ${displayName}\n  ${id}:${body}\n`;
};

/** Random secrets of the installation, by the variables that have them; only with a database. */
export const OWN_SECRETS = ['TRIVIUM_SECRETS_KEY', 'TRIVIUM_SEALS_KEY'] as const;
const [SECRETS_KEY, SEALS_KEY] = OWN_SECRETS;

const keysText = ({ database }: Answers): string => {
  const lines = [
    `# Encrypts credentials in the database.\nsecrets:\n  keys: [env:${SECRETS_KEY}]\n`,
    `# Signs reasoning and download links, so that they hold after a restart and at every node.\nseals:\n  keys: [env:${SEALS_KEY}]\n`,
  ];
  const commented = (text: string): string => text.replaceAll(/^(?!#|$)/gm, '# ');
  return lines.map((text) => (database === undefined ? commented(text) : text)).join('\n');
};

const stateText = ({ keepHours }: Answers): string =>
  keepHours === undefined
    ? '# No content is stored. With this, clients of Responses may refer to earlier answers (docs/call/stored-responses.md):\n# state:\n#   keepHours: 24\n'
    : `# Responses that clients refer to are stored so long, encrypted.\nstate:\n  keepHours: ${keepHours}\n`;

const storesText = ({ database, redis }: Answers): string =>
  [
    database === undefined
      ? '# Accounts, keys, credit and usage need PostgreSQL 15 or newer:\n# database:\n#   url: env:DATABASE_URL\n'
      : `# Accounts, keys, credit and usage are kept in PostgreSQL.\ndatabase:\n  url: env:${database}\n`,
    redis === undefined
      ? '# Several nodes share their rate limits through Redis:\n# redis:\n#   url: env:REDIS_URL\n'
      : `# Several nodes share their rate limits through Redis.\nredis:\n  url: env:${redis}\n`,
  ].join('\n');

export const configText = (answers: Answers, keyHash: string): string => {
  const { host, port, adminPort, keyName, providers } = answers;
  return `# Written by \`trivium init\`. Check it with \`trivium config check\`, the whole installation with \`trivium doctor\`.
# Secrets are named here (env:NAME or file:/path) and stay elsewhere. Every setting: docs/reference/configuration.md

# Where callers connect. Put a reverse proxy that terminates TLS in front.
listen:
  host: ${JSON.stringify(host)}
  port: ${port}

# Health, metrics and the admin API. Keep it on loopback or a private network.
admin:
  host: "127.0.0.1"
  port: ${adminPort}

# API keys, by hash: the secret itself is not in this file. \`trivium keys new\` makes another.
keys:
  - name: ${JSON.stringify(keyName)}
    hash: sha256:${keyHash}

# Providers that are called, with the variables that hold their credentials.
providers:${providers.length === 0 ? ' {}\n' : `\n${providers.map(providerText).join('')}`}
${storesText(answers)}
${keysText(answers)}
${stateText(answers)}
# Requests a key may make. Without a rule there is no limit.
# rateLimits:
#   perKey: { requestsPerMinute: 600, inFlight: 50 }

log:
  level: info
`;
};
