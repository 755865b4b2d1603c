// What `trivium init` needs to know: from its options, from the person at the terminal, or by default.

import { type ProviderNeeds, suggestion } from '@trivium/gateway/config';
import type { Terminal } from '../terminal.ts';
import { requireVariableName, usualVariable } from './credential-variables.ts';

export interface InitOptions {
  readonly output: string;
  readonly yes?: true;
  readonly force?: true;
  readonly offline?: true;
  readonly providers?: readonly string[];
  readonly credentials?: readonly string[];
  readonly variables?: readonly string[];
  readonly baseUrls?: readonly string[];
  readonly host?: string;
  readonly port?: number;
  readonly adminPort?: number;
  readonly keyName?: string;
  readonly database?: string;
  readonly redis?: string;
  readonly keepHours?: string;
}

export interface ProviderAnswer {
  readonly id: string;
  readonly displayName: string;
  /** The environment variable with its credential; absent where it needs none. */
  readonly variable?: string;
  /** In place of the provider's own. */
  readonly baseUrl?: string;
  readonly settings: Readonly<Record<string, string>>;
}

export interface Answers {
  readonly host: string;
  readonly port: number;
  readonly adminPort: number;
  readonly keyName: string;
  readonly providers: readonly ProviderAnswer[];
  /** Environment variables with the addresses. */
  readonly database?: string;
  readonly redis?: string;
  /** Absent: nothing of content is stored. */
  readonly keepHours?: number;
}

const DEFAULT_PORT = 8080;
const PORT = /^[0-9]{1,5}$/;

/** `name=value` or `provider.name=value`, keyed by the part before the `=`. */
const pairsOf = (texts: readonly string[], option: string): ReadonlyMap<string, string> =>
  new Map(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at <= 0) throw new Error(`${option} ${text}: must be such as name=value`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );

const portOf = (text: string): number => {
  if (!PORT.test(text) || Number(text) > 65_535) throw new Error(`${text}: must be a port number`);
  return Number(text);
};

const HOURS = /^[1-9][0-9]{0,3}$/;
const MOST_HOURS = 8760;

const hoursOf = (text: string): number | undefined => {
  if (text === '' || text === 'none') return undefined;
  if (!HOURS.test(text) || Number(text) > MOST_HOURS)
    throw new Error(`${text}: must be 1 to ${MOST_HOURS} hours, or none`);
  return Number(text);
};

const wordsOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((word) => word !== '');

/** Asks if there is a terminal and the option is not set; otherwise takes the default. */
class Interview {
  readonly #ask: Terminal['ask'];
  readonly #terminal: Terminal;

  constructor(terminal: Terminal, isSilent: boolean) {
    this.#terminal = terminal;
    this.#ask = isSilent ? undefined : terminal.ask;
  }

  async text(question: string, usual: string): Promise<string> {
    return this.answer(question, usual, (text) => text);
  }

  /** Asks again for as long as `read` throws: a person has mistyped. Throws itself where no person is asked. */
  async answer<T>(question: string, usual: string, read: (text: string) => T): Promise<T> {
    if (this.#ask === undefined) return read(usual);
    const { paint, print } = this.#terminal;
    const shown = usual === '' ? '' : ` ${paint('dim', `[${usual}]`)}`;
    for (;;) {
      const text = (await this.#ask(`${paint('bold', question)}${shown} `)).trim() || usual;
      try {
        return read(text);
      } catch (error) {
        print(paint('yellow', error instanceof Error ? error.message : String(error)));
      }
    }
  }

  /** What may be answered, before the question. */
  hint(text: string): void {
    if (this.#ask !== undefined) this.#terminal.print(this.#terminal.paint('dim', text));
  }
}

export async function collectAnswers(
  options: InitOptions,
  known: ReadonlyMap<string, ProviderNeeds>,
  terminal: Terminal,
): Promise<Answers> {
  const interview = new Interview(terminal, options.yes === true);
  const providers = await collectProviders(options, known, interview, terminal.env);
  const host = options.host ?? (await interview.text('Address to listen on?', '127.0.0.1'));
  const port = options.port ?? (await interview.answer('Port?', String(DEFAULT_PORT), portOf));
  const adminPort = options.adminPort ?? port + 1;
  const keyName = options.keyName ?? (await interview.text('Name of the first API key?', 'app'));
  const store = async (given: string | undefined, question: string, usual: string): Promise<string | undefined> => {
    const suggested = terminal.env[usual] === undefined ? '' : usual;
    const read = (name: string): string | undefined =>
      name === '' || name === 'none' ? undefined : requireVariableName(name, question);
    return given === undefined ? interview.answer(question, options.yes ? '' : suggested, read) : read(given);
  };
  const database = await store(
    options.database,
    'Environment variable with the PostgreSQL URL (leave empty for no accounts)?',
    'DATABASE_URL',
  );
  const redis = await store(
    options.redis,
    'Environment variable with the Redis URL (leave empty for one node)?',
    'REDIS_URL',
  );
  const keepHours =
    database === undefined || options.keepHours !== undefined
      ? hoursOf(options.keepHours ?? '')
      : await interview.answer(
          'Hours to store responses that clients refer to, encrypted (none: no content is stored)?',
          'none',
          hoursOf,
        );
  return {
    host,
    port,
    adminPort,
    keyName,
    providers,
    ...(database !== undefined && { database }),
    ...(redis !== undefined && { redis }),
    ...(keepHours !== undefined && { keepHours }),
  };
}

async function collectProviders(
  { providers, credentials = [], variables = [], baseUrls = [] }: InitOptions,
  known: ReadonlyMap<string, ProviderNeeds>,
  interview: Interview,
  env: Terminal['env'],
): Promise<readonly ProviderAnswer[]> {
  const present = [...known.keys()].filter((id) => env[usualVariable(id)] !== undefined);
  const names = [...known.keys()].sort();
  const read = (words: readonly string[]): readonly string[] => {
    const unknown = words.find((word) => !known.has(word));
    if (unknown === undefined) return words;
    const meant = suggestion(unknown, names) || `; known are ${names.join(', ')}`;
    throw new Error(`unknown provider "${unknown}"${meant}`);
  };
  if (providers === undefined) interview.hint(`Providers, one or several: ${names.join(', ')}`);
  const ids =
    providers === undefined
      ? await interview.answer('Providers?', present.join(' ') || 'openai', (text) => read(wordsOf(text)))
      : read(providers.flatMap(wordsOf));
  const [given, settings] = [pairsOf(credentials, '--credential'), pairsOf(variables, '--variable')];
  const bases = pairsOf(baseUrls, '--base-url');
  const answers: ProviderAnswer[] = [];
  for (const id of new Set(ids)) {
    const needs = known.get(id);
    if (needs === undefined) continue;
    const what = `Environment variable with the credential of ${needs.displayName}?`;
    const readName = (name: string): string => requireVariableName(name, what);
    const named = given.get(id);
    const variable = !needs.needsCredential
      ? undefined
      : named === undefined
        ? await interview.answer(what, usualVariable(id), readName)
        : readName(named);
    const own: Record<string, string> = {};
    for (const name of needs.settings) {
      const value = settings.get(`${id}.${name}`) ?? (await interview.text(`${needs.displayName}: ${name}?`, ''));
      if (value !== '') own[name] = value;
    }
    const baseUrl = bases.get(id);
    answers.push({
      id,
      displayName: needs.displayName,
      settings: own,
      ...(baseUrl !== undefined && { baseUrl }),
      ...(variable !== undefined && { variable }),
    });
  }
  return answers;
}
