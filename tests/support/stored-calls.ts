/** Calls about stored responses and conversations as plain HTTP, and what of their content lies in a database or a folder. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { expect, vi } from 'vitest';
import { CHAT, type Json, OWN } from './responses-probe.ts';

export type Reply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Json;
};
export type At = { readonly chatUrl: string };

export async function send(
  { chatUrl }: At,
  secret: string,
  method: string,
  path: string,
  body?: unknown,
  more: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(`${chatUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${secret}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, headers: response.headers, text, json: isJson ? (JSON.parse(text) as Json) : {} };
}

export const errorOf = ({ json }: Reply): Json => json['error'] as Json;
export const idIn = ({ status, json, text }: Reply): string => {
  if (status !== 200) throw new Error(text);
  return String(json['id']);
};

export const makeAt = (at: At, secret: string, body: Json): Promise<Reply> =>
  send(at, secret, 'POST', '/responses', { model: CHAT, input: 'Hello', ...body });

/** In the background, with its events; gives its id once it has ended. */
export async function makeBehind(at: At, secret: string, input: string): Promise<string> {
  const { text } = await makeAt(at, secret, { model: OWN, input, background: true, stream: true });
  const id = /"id":"(resp_[^"]+)"/.exec(text)?.[1] ?? '';
  await vi.waitFor(
    async () => expect((await send(at, secret, 'GET', `/responses/${id}`)).json['status']).toBe('completed'),
    { timeout: 10_000 },
  );
  return id;
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Every row of every table, as text; bytes as their characters, too. */
export async function everyRow(url: string): Promise<string> {
  const tables = await query(
    url,
    "select schemaname || '.' || quote_ident(tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  );
  let all = '';
  for (const { name } of tables)
    for (const { row } of await query(url, `select to_jsonb(t)::text as row from ${String(name)} t`)) {
      const text = String(row);
      all += `${text}\n`;
      for (const [, hex = ''] of text.matchAll(/\\\\x([0-9a-f]{8,})/g))
        all += Buffer.from(hex, 'hex').toString('latin1');
    }
  return all;
}

export async function everyFile(folder: string): Promise<string> {
  let all = '';
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) all += await readFile(join(entry.parentPath, entry.name), 'latin1');
  return all;
}

export const CANARY = 'ostrich-lantern-7141';
/** In base64 a text is written in one of three ways, by what stands before it. */
const inBase64 = ['', 'x', 'xx'].map((before) =>
  Buffer.from(before + CANARY)
    .toString('base64')
    .slice(4, 24),
);
/** In any spelling that a careless writer might leave. */
const SPELLINGS = [CANARY, ...inBase64, Buffer.from(CANARY).toString('hex')];
export const found = (text: string): readonly string[] => SPELLINGS.filter((spelling) => text.includes(spelling));

export const totalOf = async (url: string, account: string): Promise<number> =>
  Number((await query(url, `select bytes from stored_totals where account_id = '${account}'`))[0]?.['bytes'] ?? 0);

const LOG_NOW = 'pg_walfile_name(pg_current_wal_lsn())';
/** The file of the server's log of changes that is written now. */
export const logOf = async (url: string): Promise<string> =>
  String((await query(url, `select ${LOG_NOW} as name`))[0]?.['name']);

const PLANTED = 'walrus-bucket-2904';

/** Spellings in the server's own files of a database, which hold deleted rows as well, and in its log of changes since `from`. */
export async function foundInPages(url: string, from: string): Promise<readonly string[]> {
  // Else nobody could tell a search of the wrong files from one that finds nothing.
  await query(url, `create table planted as select '${PLANTED}' as word`);
  const [place] = await query(
    url,
    `select current_setting('data_directory') as folder, oid, ${LOG_NOW} as until
     from pg_database where datname = current_database()`,
  );
  await query(url, 'checkpoint');
  const [base, log] = ['base', 'pg_wal'].map((name) => join(String(place?.['folder']), name));
  const own = join(base ?? '', String(place?.['oid']));
  const isOurs = (name: string): boolean => name >= from && name <= String(place?.['until']);
  const pages = (await readdir(own)).map((name) => join(own, name));
  const changes = (await readdir(log ?? '')).filter(isOurs).map((name) => join(log ?? '', name));
  const seen = new Set<string>();
  for (const path of [...pages, ...changes]) {
    const bytes = await readFile(path);
    for (const spelling of [PLANTED, ...SPELLINGS]) if (bytes.includes(spelling)) seen.add(spelling);
  }
  await query(url, 'drop table planted');
  if (!seen.delete(PLANTED)) throw new Error('what was planted is in none of the files');
  return [...seen];
}
