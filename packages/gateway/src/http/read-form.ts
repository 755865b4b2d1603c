/**
 * A form with files as text and bytes: bounded as it arrives, in size and in number of parts. The text is JSON with the
 * form's fields; a field that is a file holds its index among the files and its digest, so that the text alone
 * distinguishes two requests.
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { GatewayError } from '@trivium/protocol/canonical';
import type { FormFile } from '@trivium/protocol/dialects';
import { GatheredBytes } from '@trivium/protocol/framing';
import type { BodyRoom } from '../kernel/admission.ts';
import type { RawHeaders } from '../kernel/caller-port.ts';
import { type Arrival, readBody } from './body.ts';
import type { BodyReader } from './body-reader.ts';
import { boundaryOf, brokenForm, FormParts, type PartHead, type PartListener } from './form-parts.ts';

const MAX_FIELDS = 64;
const MAX_FILES = 32;
const MAX_NAME_BYTES = 128;
const MAX_FIELD_BYTES = 1_048_576;

const refused = (message: string): GatewayError => new GatewayError({ kind: 'malformed', message });

/** `multipart/form-data`, with any parameters. One exact rule, as for JSON. */
export const isForm = (contentType: string | undefined): boolean =>
  /^multipart\/form-data\s*(?:;|$)/i.test(contentType ?? '');

type FormValue = string | { readonly file: number; readonly sha256: string };

export type Form = { readonly text: string; readonly files: readonly FormFile[] };

export class FormBody implements BodyReader<Form> {
  readonly #parts: FormParts;
  readonly #fields = new Map<string, FormValue[]>();
  readonly #files: FormFile[] = [];
  #fieldCount = 0;

  constructor(contentType: string) {
    const boundary = boundaryOf(contentType);
    if (boundary === undefined) throw brokenForm('its boundary is missing or too long');
    this.#parts = new FormParts(boundary, (head) => this.#open(head));
  }

  take(chunk: Buffer): void {
    this.#parts.take(chunk);
  }

  end(): Form {
    this.#parts.end();
    return { text: textOf(this.#fields), files: this.#files };
  }

  #open({ name, isFile, mimeType }: PartHead): PartListener {
    if (Buffer.byteLength(name) > MAX_NAME_BYTES)
      throw refused(`A field of the form has a name of more than ${MAX_NAME_BYTES} bytes.`);
    return isFile ? this.#openFile(name, mimeType) : this.#openField(name);
  }

  #openFile(name: string, mimeType: string): PartListener {
    if (this.#files.length === MAX_FILES) throw refused(`The form has more than ${MAX_FILES} files.`);
    const gathered = new GatheredBytes();
    const digest = createHash('sha256');
    const position = this.#files.push(fileOf(name, gathered, mimeType)) - 1;
    return {
      bytes: (piece) => {
        gathered.push(piece);
        digest.update(piece);
      },
      end: () => this.#add(name, { file: position, sha256: digest.digest('base64url') }),
    };
  }

  #openField(name: string): PartListener {
    if (this.#fieldCount++ === MAX_FIELDS) throw refused(`The form has more than ${MAX_FIELDS} fields.`);
    const gathered = new GatheredBytes();
    return {
      bytes: (piece) => {
        gathered.push(piece);
        if (gathered.length > MAX_FIELD_BYTES)
          throw refused(`The field '${name}' of the form is longer than ${MAX_FIELD_BYTES} bytes.`);
      },
      end: () => {
        const bytes = gathered.join();
        if (!isUtf8(bytes)) throw refused(`The field '${name}' of the form is not valid UTF-8.`);
        this.#add(name, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
      },
    };
  }

  #add(name: string, value: FormValue): void {
    const earlier = this.#fields.get(name);
    if (earlier === undefined) this.#fields.set(name, [value]);
    else earlier.push(value);
  }
}

/** Joined to one piece, a large file would be in memory twice: as it arrived, and joined. */
const fileOf = (name: string, gathered: GatheredBytes, mimeType: string): FormFile => ({
  name,
  mimeType,
  get pieces() {
    return gathered.pieces();
  },
  toBase64: () => Buffer.concat(gathered.pieces()).toString('base64'),
});

const textOf = (fields: ReadonlyMap<string, readonly FormValue[]>): string =>
  JSON.stringify(
    Object.fromEntries([...fields].map(([name, values]) => [name, values.length === 1 ? values[0] : values])),
  );

/** What reads a request's body as a form; its files are there once the text has been read. */
export function formReader(
  headers: RawHeaders,
  arrivalOf: (room: BodyRoom) => Arrival,
): { readonly files: readonly FormFile[]; readonly readBody: (room: BodyRoom) => Promise<{ readonly text: string }> } {
  const files: FormFile[] = [];
  const type = headers.get('content-type');
  return {
    files,
    readBody: async (room) => {
      const form = await readBody(arrivalOf(room), new FormBody((typeof type === 'string' ? type : type?.[0]) ?? ''));
      files.push(...form.files);
      return { text: form.text };
    },
  };
}
