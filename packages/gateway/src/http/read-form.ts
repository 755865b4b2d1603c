/**
 * A form with files as text and bytes: bounded as it arrives, in size and in number of parts. The text is JSON whose fields
 * are the form's; a field that is a file holds its number among the files and its digest, so that the text alone tells two
 * requests apart.
 */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { GatewayError } from '@trivium/protocol/canonical';
import type { FormFile } from '@trivium/protocol/dialects';
import { GatheredPieces } from './gathered-pieces.ts';

const MAX_FIELDS = 64;
const MAX_FILES = 32;
const MAX_NAME_BYTES = 128;
const MAX_FIELD_BYTES = 1_048_576;

const tooLarge = (limit: number): GatewayError =>
  new GatewayError({ kind: 'too-large', message: `The request body is larger than ${limit} bytes.` });
const broken = (message: string): GatewayError => new GatewayError({ kind: 'malformed', message });
const NO_FORM = broken('The request body is not a valid form.');
const BROKEN_OFF = new GatewayError({ kind: 'cancelled', message: 'The caller hung up while sending the request.' });

/** `multipart/form-data`, with any parameters. One exact rule, as for JSON. */
export const isForm = (contentType: string | undefined): boolean =>
  /^multipart\/form-data\s*(?:;|$)/i.test(contentType ?? '');

/** Without one nobody can tell where a part ends. */
export const hasBoundary = (contentType: string | undefined): boolean => /;\s*boundary=[^\s;]/i.test(contentType ?? '');

type FormValue = string | { readonly file: number; readonly sha256: string };

export function readForm(
  request: IncomingMessage,
  contentType: string,
  declaredLength: string | undefined,
  maxBytes: number,
): Promise<{ readonly text: string; readonly files: readonly FormFile[] }> {
  return new Promise((resolve, reject) => {
    if (declaredLength !== undefined && Number(declaredLength) > maxBytes) {
      reject(tooLarge(maxBytes));
      return;
    }
    const fields = new Map<string, FormValue[]>();
    const files: FormFile[] = [];
    const fail = (error: GatewayError): void => {
      request.unpipe();
      request.pause();
      reject(error);
    };
    const parser = openParser(contentType, fail);
    if (parser === undefined) return;
    const add = (name: string, value: FormValue): void => {
      const earlier = fields.get(name);
      if (earlier === undefined) fields.set(name, [value]);
      else earlier.push(value);
    };
    parser.on('field', (name, value, nameCut, valueCut) => {
      if (nameCut || valueCut) fail(broken('A field of the form is too long.'));
      else add(name, value);
    });
    parser.on('file', (name, stream, _filename, _encoding, mimeType) => {
      const pieces = new GatheredPieces();
      const digest = createHash('sha256');
      const position = files.push(fileOf(name, [], mimeType)) - 1;
      const value = { file: position, sha256: '' };
      add(name, value);
      stream.on('data', (piece: Buffer) => {
        pieces.push(piece);
        digest.update(piece);
      });
      stream.on('end', () => {
        files[position] = fileOf(name, pieces.end(), mimeType);
        value.sha256 = digest.digest('base64url');
      });
      // A form that is over in the middle of a file says so here as well; unheard, it would end the process.
      stream.on('error', () => fail(NO_FORM));
    });
    parser.on('finish', () => resolve({ text: textOf(fields), files }));
    bounded(request, maxBytes, fail);
    request.on('close', () => {
      if (!request.complete) reject(BROKEN_OFF);
    });
    request.pipe(parser);
  });
}

function openParser(contentType: string, fail: (error: GatewayError) => void): BusboyInstance | undefined {
  try {
    const parser = new Busboy({
      headers: { 'content-type': contentType },
      limits: {
        fields: MAX_FIELDS,
        files: MAX_FILES,
        fieldNameSize: MAX_NAME_BYTES,
        fieldSize: MAX_FIELD_BYTES,
      },
    });
    for (const limit of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const)
      parser.on(limit, () => fail(broken('The form has too many parts.')));
    parser.on('error', () => fail(NO_FORM));
    return parser;
  } catch {
    fail(NO_FORM);
    return undefined;
  }
}

function bounded(request: IncomingMessage, maxBytes: number, fail: (error: GatewayError) => void): void {
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxBytes) fail(tooLarge(maxBytes));
  });
}

/** In one piece, a large file would be in memory twice: once as it came, and once put together. */
const fileOf = (name: string, pieces: readonly Buffer[], mimeType: string): FormFile => ({
  name,
  mimeType,
  pieces,
  toBase64: () => Buffer.concat(pieces).toString('base64'),
});

const textOf = (fields: ReadonlyMap<string, readonly FormValue[]>): string =>
  JSON.stringify(
    Object.fromEntries([...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values])),
  );
