/** The parts of a multipart form as bytes. Files are not copied: they are written one after another as they are. */
import { randomBytes } from 'node:crypto';
import type { FormPart } from '@trivium/protocol/dialects';

const CRLF = '\r\n';

type FilePart = Extract<FormPart, { file: unknown }>;

export type EncodedForm = {
  readonly contentType: string;
  readonly length: number;
  readonly pieces: readonly Uint8Array[];
};

export function encodeForm(parts: readonly FormPart[]): EncodedForm {
  const [only] = parts;
  if (only !== undefined && 'file' in only && only.name === '') return alone(only);
  // 144 random bits: no file contains them by chance, and they cannot be guessed.
  const boundary = `trivium-${randomBytes(18).toString('hex')}`;
  const pieces = parts.flatMap((part) => piecesOf(part, boundary));
  pieces.push(Buffer.from(`--${boundary}--${CRLF}`));
  const length = pieces.reduce((total, piece) => total + piece.length, 0);
  return { contentType: `multipart/form-data; boundary=${boundary}`, length, pieces };
}

function piecesOf(part: FormPart, boundary: string): readonly Uint8Array[] {
  const disposition = `--${boundary}${CRLF}content-disposition: form-data; name="${quoted(part.name)}"`;
  if ('text' in part) return [Buffer.from(`${disposition}${CRLF}${CRLF}${part.text}${CRLF}`)];
  const { file, filename, mimeType } = part;
  const head = `${disposition}; filename="${quoted(filename)}"${CRLF}content-type: ${mimeType}${CRLF}${CRLF}`;
  return [Buffer.from(head), ...bytesOf(file), Buffer.from(CRLF)];
}

/** A file that is the whole body. */
function alone({ file, mimeType }: FilePart): EncodedForm {
  const pieces = bytesOf(file);
  return { contentType: mimeType, length: pieces.reduce((total, piece) => total + piece.length, 0), pieces };
}

const bytesOf = (file: FilePart['file']): readonly Uint8Array[] =>
  'pieces' in file ? file.pieces : [Buffer.from(file.base64, 'base64')];

/** Escaped as browsers do: nothing in a name can end the quotes or the line. */
const quoted = (name: string): string => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** Name, value, name, value…: the form sets its own content type. */
export const withoutContentType = (headers: readonly string[]): readonly string[] =>
  headers.filter((_, at) => headers[at - (at % 2)]?.toLowerCase() !== 'content-type');
