// Calls the admin API of a running gateway with the secret from the environment.

import type { Command } from 'commander';
import type { Terminal } from './terminal.ts';

const DEFAULT_URL = 'http://127.0.0.1:8081';
const URL_VARIABLE = 'TRIVIUM_ADMIN_URL';
const SECRET_VARIABLE = 'TRIVIUM_ADMIN_SECRET';
const CALL_LIMIT_MS = 30_000;

export interface AdminOptions {
  readonly url?: string;
  readonly json?: true;
}

export type Row = Readonly<Record<string, unknown>>;

export const withAdminOptions = (command: Command): Command =>
  command
    .option('--url <url>', `admin listener (default: $${URL_VARIABLE}, or ${DEFAULT_URL})`)
    .option('--json', 'print JSON');

export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const explain = (status: number, answer: unknown): string => {
  const error = isRow(answer) && isRow(answer['error']) ? answer['error'] : {};
  const field = typeof error['field'] === 'string' ? `${error['field']}: ` : '';
  return `${field}${typeof error['message'] === 'string' ? error['message'] : 'the gateway refused'} (${status})`;
};

/** An error response of the gateway, with its message. */
export class AdminRefusal extends Error {
  /** The members of its error. */
  readonly details: Row;

  constructor(status: number, answer: unknown) {
    super(explain(status, answer));
    this.details = isRow(answer) && isRow(answer['error']) ? answer['error'] : {};
  }
}

type AdminCall = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: Row | undefined;
  readonly signal?: AbortSignal;
};

const adminSecret = ({ env }: Terminal): string => env[SECRET_VARIABLE]?.trim() ?? '';

/** Throws the gateway's error message. */
const send = async (
  terminal: Terminal,
  { url }: AdminOptions,
  { method, path, body, signal }: AdminCall,
): Promise<{ readonly response: Response; readonly base: string }> => {
  const secret = adminSecret(terminal);
  if (secret === '')
    throw new Error(`set ${SECRET_VARIABLE} to the operator's secret, or to a key that manages its account`);
  const base = url ?? terminal.env[URL_VARIABLE] ?? DEFAULT_URL;
  const address = URL.parse(`/admin/v1${path}`, base);
  if (address === null) throw new Error(`${base} is not the URL of an admin listener, such as ${DEFAULT_URL}`);
  const response = await fetch(address, {
    method,
    headers: { authorization: `Bearer ${secret}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  }).catch((error: unknown) => {
    const reason = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw new Error(`${base} does not answer: ${reason}`);
  });
  if (!response.ok) throw new AdminRefusal(response.status, await response.json().catch(() => undefined));
  return { response, base };
};

export const callAdmin = async (
  terminal: Terminal,
  options: AdminOptions,
  method: AdminCall['method'],
  path: string,
  body?: Row,
  limitMs = CALL_LIMIT_MS,
): Promise<Row> => {
  const signal = AbortSignal.timeout(limitMs);
  const { response, base } = await send(terminal, options, { method, path, body, signal });
  const answer: unknown = await response.json().catch(() => undefined);
  if (!isRow(answer)) throw new Error(`${base} is not an admin listener: its response is not a JSON object`);
  return answer;
};

/** Server-sent events, until the gateway ends them. */
export async function* streamAdmin(
  terminal: Terminal,
  options: AdminOptions,
  path: string,
): AsyncGenerator<{ readonly event: string; readonly data: unknown }> {
  const { response } = await send(terminal, options, { method: 'GET', path });
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const one of events) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(one) ?? [];
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) };
    }
  }
}

/** A text response, line by line as it arrives. */
export async function* readAdminLines(terminal: Terminal, options: AdminOptions, path: string): AsyncGenerator<string> {
  const { response } = await send(terminal, options, { method: 'GET', path });
  let text = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (text + chunk).split('\r\n');
    text = lines.pop() ?? '';
    yield* lines;
  }
  if (text !== '') yield text;
}

/** Encodes one path segment. */
export const part = (text: string): string => encodeURIComponent(text);

/** All pages of a list, up to more than fits a terminal. */
const MAX_ITEMS = 10_000;
const MAX_PAGE = 200;

export const listAdmin = async <Item extends Row = Row>(
  terminal: Terminal,
  options: AdminOptions,
  path: string,
  asked = MAX_ITEMS,
): Promise<readonly Item[]> => {
  const maxItems = Math.min(MAX_ITEMS, asked);
  const items: Item[] = [];
  const pageLimit = Math.min(MAX_PAGE, maxItems);
  let after: unknown;
  do {
    const place = after === undefined ? '' : `&after=${encodeURIComponent(String(after))}`;
    const page = await callAdmin(
      terminal,
      options,
      'GET',
      `${path}${path.includes('?') ? '&' : '?'}limit=${pageLimit}${place}`,
    );
    if (Array.isArray(page['items'])) items.push(...page['items'].filter((one): one is Item => isRow(one)));
    after = page['next'] ?? undefined;
  } while (after !== undefined && items.length < maxItems);
  return items.slice(0, maxItems);
};
