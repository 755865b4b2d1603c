/**
 * Recorded HTTP exchanges from files of other tools: cassettes of VCR libraries (YAML or JSON, also gzipped) and HAR files. Files that
 * cannot be read are reported, not thrown: a folder of recordings holds many things.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';

export type Exchange = {
  readonly file: string;
  readonly url: string;
  readonly requestBody: string;
  readonly status: number;
  readonly responseBody: string;
};

export type Recordings = { readonly exchanges: readonly Exchange[]; readonly unreadable: readonly string[] };

const MAX_FILES = 50_000;
const MAX_FILE_BYTES = 64_000_000;
const KINDS = /\.(ya?ml|json|har)(\.gz)?$/i;

type Values = Readonly<Record<string, unknown>>;
const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const at = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((inner, name) => (isValues(inner) ? inner[name] : undefined), value);
const listAt = (value: unknown, ...names: readonly string[]): readonly unknown[] => {
  const list = at(value, ...names);
  return Array.isArray(list) ? list : [];
};

export function readRecordings(folder: string): Recordings {
  const exchanges: Exchange[] = [];
  const unreadable: string[] = [];
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => KINDS.test(file))
    .sort();
  if (files.length > MAX_FILES)
    throw new Error(`${folder} holds ${files.length} recordings; at most ${MAX_FILES} are read`);
  for (const file of files) {
    const path = join(folder, file);
    if (statSync(path).size > MAX_FILE_BYTES) unreadable.push(`${file}: larger than ${MAX_FILE_BYTES} bytes`);
    else
      try {
        exchanges.push(...exchangesIn(file, readFileSync(path)));
      } catch (error) {
        unreadable.push(`${file}: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`);
      }
  }
  return { exchanges, unreadable };
}

function exchangesIn(file: string, bytes: Uint8Array): Exchange[] {
  const text = Buffer.from(isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: MAX_FILE_BYTES }) : bytes).toString(
    'utf8',
  );
  const document: unknown = /\.ya?ml(\.gz)?$/i.test(file) ? parse(text, { maxAliasCount: 1000 }) : JSON.parse(text);
  const har = listAt(document, 'log', 'entries').map((entry) => ofHar(file, entry));
  const tapes = [...listAt(document, 'interactions'), ...listAt(document, 'http_interactions')];
  const single = at(document, 'request') !== undefined && at(document, 'response') !== undefined ? [document] : [];
  return [...har, ...[...tapes, ...single].map((tape) => ofTape(file, tape))].filter(({ url }) => url !== '');
}

const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

function ofHar(file: string, entry: unknown): Exchange {
  const content = at(entry, 'response', 'content');
  const text = textOf(at(content, 'text'));
  return {
    file,
    url: textOf(at(entry, 'request', 'url')),
    requestBody: textOf(at(entry, 'request', 'postData', 'text')),
    status: Number(at(entry, 'response', 'status') ?? 0),
    responseBody: at(content, 'encoding') === 'base64' ? Buffer.from(text, 'base64').toString('utf8') : text,
  };
}

function ofTape(file: string, tape: unknown): Exchange {
  const [request, response] = [at(tape, 'request'), at(tape, 'response')];
  const status = at(response, 'status');
  return {
    file,
    url: textOf(at(request, 'uri') ?? at(request, 'url')),
    requestBody: bodyOf(request),
    status: Number(at(status, 'code') ?? (typeof status === 'number' ? status : (at(response, 'status_code') ?? 0))),
    responseBody: bodyOf(response),
  };
}

/** Libraries keep a body as text, under a name, parsed, in base64 or as it was compressed. */
function bodyOf(message: unknown): string {
  const parsed = at(message, 'parsed_body');
  if (parsed !== undefined && parsed !== null) return typeof parsed === 'string' ? parsed : JSON.stringify(parsed);
  const body = at(message, 'body');
  const coded = at(body, 'base64_string');
  if (typeof coded === 'string') return decompressed(Buffer.from(coded, 'base64'));
  if (isValues(body) && !(body instanceof Uint8Array)) {
    const inner = at(body, 'string') ?? at(body, 'text') ?? at(body, 'data');
    return inner === undefined ? JSON.stringify(body) : textOf(inner);
  }
  return textOf(body);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? decompressed(Buffer.from(value)) : '';
}

const decompressed = (bytes: Buffer): string =>
  (isGzip(bytes) ? gunzipSync(bytes, { maxOutputLength: MAX_FILE_BYTES }) : bytes).toString('utf8');
