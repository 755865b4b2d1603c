// Commands of the admin API that do more than one call and a table.

import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ModelDetail,
  PolicyPreview,
  ProviderDetail,
  RequestRow,
  ShownModel,
  WebhookDelivery,
} from '@trivium/gateway/commands';
import { listAdmin, type Row, readAdminLines, streamAdmin } from './admin-client.ts';
import { answerOf, runTyped, type Special, type Typed } from './admin-commands.ts';
import { printOne, printRows, rowsIn } from './table.ts';
import type { Terminal } from './terminal.ts';
import { auditLines } from './views/audit.ts';
import { watch } from './views/operation.ts';
import { previewLines } from './views/policy-preview.ts';
import { requestLines, tailLine } from './views/request.ts';
import { replayLines, storedLines, wireLines } from './views/wire.ts';

const KIND_AND_VALUE = /^([a-z0-9_]+)=([0-9.]+)(?:\/([A-Za-z]+))?$/;
const LOOK_EVERY_MS = 250;
const PATIENCE_MS = 25_000;

const pricingsOf = (price: readonly string[], file: string | undefined): Row => {
  if ((price.length === 0) === (file === undefined)) throw new Error('give either --price or --file');
  if (file !== undefined) return JSON.parse(readFileSync(file, 'utf8'));
  return Object.fromEntries(
    price.map((text) => {
      const [, kind = '', value, unit = 'perMTokens'] = KIND_AND_VALUE.exec(text) ?? [];
      if (value === undefined) throw new Error(`${text}: must be such as prompt=2.5 or image=0.04/perCount`);
      return [kind, [{ value, unit, currency: 'USD' }]];
    }),
  );
};

type Source = { readonly fromEnv?: string; readonly fromFile?: string };

/** Read from the environment or a file, never typed where the shell's history would keep it. */
const credentialOf = ({ fromEnv, fromFile }: Source, { env }: Terminal): string => {
  if ((fromEnv === undefined) === (fromFile === undefined)) throw new Error('give either --from-env or --from-file');
  const text = fromEnv === undefined ? readFileSync(fromFile ?? '', 'utf8') : (env[fromEnv] ?? '');
  if (text.trim() === '') throw new Error('the credential is empty');
  return text.trim();
};

/** Prints the answer in lines made for it. */
const inLines = <Answer extends Row>(linesOf: (answer: Answer) => readonly string[]): Special => ({
  run: async (typed) => {
    const { terminal, options } = typed;
    const answer = await answerOf<Answer>(typed);
    if (options.json) printOne(terminal, options, answer);
    else for (const line of linesOf(answer)) terminal.print(line);
  },
});

/** Waits for the first try, prints how it went, and exits with 1 unless it has arrived. */
const FIRST_TRY: Special = {
  run: async (typed) => {
    const { terminal, options, path } = typed;
    const sent = await answerOf<WebhookDelivery>(typed);
    let delivery = sent;
    for (let waitedMs = 0; delivery.lastTriedAt === null && waitedMs < PATIENCE_MS; waitedMs += LOOK_EVERY_MS) {
      await sleep(LOOK_EVERY_MS);
      const rows = await listAdmin<WebhookDelivery>(terminal, options, path.replace(/test$/, 'deliveries'));
      delivery = rows.find(({ id }) => id === sent.id) ?? delivery;
    }
    printOne(terminal, options, delivery);
    if (delivery.state !== 'delivered') terminal.setExitCode(1);
  },
};

async function tail({ terminal, options, path }: Typed): Promise<void> {
  for await (const { event, data } of streamAdmin(terminal, options, path)) {
    if (event === 'gap') terminal.error('some requests were left out: more ended than could be shown');
    else if (event === 'row') terminal.print(options.json ? JSON.stringify(data) : tailLine(data as RequestRow));
  }
}

async function showModel(typed: Typed): Promise<void> {
  const { terminal, options } = typed;
  const model = await answerOf<ModelDetail>(typed);
  if (options.json) {
    printOne(terminal, options, model);
    return;
  }
  terminal.print(`${model.id}: ${model.callable ? 'callable' : `not callable (${model.whyNot})`}`);
  const endpoints = model.endpoints.map((endpoint) => ({
    ...endpoint,
    prices: endpoint.prices.map(({ kind, usd, unit }) => `${kind} ${usd} ${unit}`),
  }));
  printRows(terminal, options, endpoints, [
    'provider',
    'format',
    'upstreamModel',
    'callable',
    'whyNot',
    { of: 'circuit.state', title: 'circuit' },
    'prices',
  ]);
}

async function showProvider(typed: Typed): Promise<void> {
  const { terminal, options } = typed;
  const provider = await answerOf<ProviderDetail>(typed);
  const { targets, history, ...facts } = provider;
  printOne(terminal, options, options.json ? provider : facts);
  if (options.json) return;
  terminal.print('');
  printRows(terminal, options, targets, ['model', 'state', 'why', 'since', 'until', 'failuresInRow']);
}

/** The file is what is sent. */
const OF_FILE: Special = { prepare: (_, { file }) => JSON.parse(readFileSync(String(file), 'utf8')) as Row };

/** A key may be limited to models that come later, so this is no refusal; but most often it is a typo, and the key of no use. */
const WITH_MODELS: Special = {
  run: async (typed) => {
    await runTyped(typed);
    const { terminal, options, given } = typed;
    const patterns = (given['models'] ?? []) as readonly string[];
    if (patterns.length === 0) return;
    // A credential that may make keys, but not list models: nothing to compare with.
    const models = await listAdmin<ShownModel>(terminal, options, '/models').catch(() => []);
    if (models.length === 0) return;
    const { matcher, suggestion } = await import('@trivium/gateway/config');
    for (const pattern of patterns.filter((pattern) => !models.map(({ id }) => id).some(matcher([pattern]))))
      terminal.error(`warning: no model matches "${pattern}" now${nearestPattern(pattern, models, suggestion)}`);
  },
};

/** Rights name models by their ids: of `opnai/*` the owner is looked for, of a short name the model that has it. */
function nearestPattern(
  pattern: string,
  models: readonly ShownModel[],
  suggestion: (word: string, known: readonly string[]) => string,
): string {
  const ids = models.map(({ id }) => id);
  if (pattern.endsWith('*')) return suggestion(pattern, [...new Set(ids.map((id) => `${id.split('/')[0]}/*`))]);
  const named = models.find(({ aliases }) => aliases.includes(pattern))?.id;
  const meant = named === undefined ? suggestion(pattern, ids) : `; did you mean "${named}"?`;
  return meant || '; trivium models list has their names';
}

/** `/usage?by=key` is exported from `/usage.csv?by=key`. */
const exported =
  (lineEnd: string): NonNullable<Special['run']> =>
  async (typed) => {
    const { terminal, options, given, path } = typed;
    if (!given['csv'] && !given['focus']) return runTyped(typed);
    const ending = given['focus'] ? '.focus.csv' : '.csv';
    const lines = readAdminLines(terminal, options, path.replace(/(?=\?)|$/, ending));
    let previous: string | undefined;
    for await (const line of lines) {
      if (previous !== undefined) terminal.print(`${previous}${lineEnd}`);
      previous = line;
    }
    if (previous !== undefined) terminal.print(previous);
  };

/** By the names of the command. */
export const SPECIAL: Readonly<Record<string, Special>> = {
  'alerts destinations add': {
    prepare: (members, { address }) => {
      const addresses = address as readonly string[];
      return { ...members, ...(members['kind'] === 'mail' ? { to: addresses } : { url: addresses[0] }) };
    },
  },
  'alerts destinations test': FIRST_TRY,
  'audit show': inLines(auditLines),
  'config show': {
    run: async (typed) => {
      const { terminal, options, given, described } = typed;
      const rows = rowsIn((await answerOf(typed))['items']);
      const shown = given['changed'] ? rows.filter(({ source }) => source !== 'default') : rows;
      printRows(terminal, options, shown, described.columns ?? []);
    },
  },
  'keys change': WITH_MODELS,
  'keys create': WITH_MODELS,
  'ledger entries': { run: exported('') },
  'managed-settings save': OF_FILE,
  'models set': OF_FILE,
  'models show': { run: showModel },
  'operations watch': { run: watch },
  'policies preview': {
    prepare: (members, { file }) => ({ ...members, policy: JSON.parse(readFileSync(String(file), 'utf8')) }),
    ...inLines<PolicyPreview>(previewLines),
  },
  'policies save': OF_FILE,
  'prices set': {
    prepare: (members, { price, file }) => ({
      ...members,
      pricings: pricingsOf((price ?? []) as readonly string[], file as string | undefined),
    }),
  },
  'prices terms': {
    prepare: (members) => {
      if ('from' in members && !('changePercent' in members))
        throw new Error('--from says when a percentage applies: give one too, or none');
      return members;
    },
  },
  'providers set': {
    prepare: (_, given, terminal) => ({ credential: credentialOf(given as Source, terminal) }),
  },
  'providers show': { run: showProvider },
  'providers test': {
    prepare: (_, given, terminal) =>
      given['fromEnv'] === undefined && given['fromFile'] === undefined
        ? {}
        : { credential: credentialOf(given as Source, terminal) },
  },
  'requests replay': inLines(replayLines),
  'requests show': inLines(requestLines),
  'requests stored': inLines(storedLines),
  'requests tail': { run: tail },
  'requests wire': inLines(wireLines),
  'usage report': { run: exported('\r') },
  'webhooks test': FIRST_TRY,
  'what-if': {
    run: async (typed) => (await import('./actions/what-if.ts')).runWhatIf(typed),
  },
};
