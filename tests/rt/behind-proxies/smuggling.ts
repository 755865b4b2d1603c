/**
 * Requests that two parsers may take for different numbers of requests. Each holds an inner request where one parser sees a
 * body and the other the next request; a third, well-formed one follows on the same connection.
 */
import { FRAMING } from '../../bad-input/framing-cases.ts';
import { CHAT_PATH, GOOD_BODY, requestText } from '../../bad-input/raw-exchange.ts';

export type Attack = { readonly name: string; bytes(id: string): string };

export const OUTER = 'outer';
export const INNER = 'inner';
export const NEXT = 'next';

const bodyOf = (words: string): string => GOOD_BODY.replace('"Hi"', JSON.stringify(words));
export const plainRequest = (words: string, more = ''): string => requestText(bodyOf(words), { more });
const inner = (id: string): string => plainRequest(`${id} ${INNER}`);
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const head = (headers: string, line = `POST ${CHAT_PATH} HTTP/1.1`): string =>
  requestText('', { line, length: headers });
const outerChunk = (id: string): string => chunk(bodyOf(`${id} ${OUTER}`));

/** The length covers all, the coding ends before the inner request. */
const lengthThenCoding = (id: string, coding: string, line?: string): string => {
  const body = `${outerChunk(id)}0\r\n\r\n${inner(id)}`;
  return head(`Content-Length: ${Buffer.byteLength(body)}\r\n${coding}`, line) + body;
};
/** The coding covers all, the length ends before the inner request. */
const codingThenLength = (id: string, coding: string): string => {
  const hidden = inner(id);
  const size = Buffer.byteLength(hidden).toString(16);
  return `${head(`${coding}\r\nContent-Length: ${size.length + 2}`)}${size}\r\n${hidden}\r\n0\r\n\r\n`;
};
/** No length at all, for a parser that does not understand the coding. */
const codingAlone = (id: string, coding: string): string => `${head(coding)}${outerChunk(id)}0\r\n\r\n${inner(id)}`;

const CODINGS: readonly string[] = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: CHUNKED',
  'tRANSFER-eNCODING: chunKed',
  'Transfer-Encoding:chunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding: chunked ',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: x, chunked',
  'Transfer-Encoding: chunked, x',
  'Transfer-Encoding: chunked, chunked',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: "chunked"',
  "Transfer-Encoding: 'chunked'",
  'Transfer-Encoding: chunked;q=1',
  'Transfer-Encoding: \x0bchunked',
  'Transfer-Encoding: chunked\x0b',
  'Transfer-Encoding: chunked\0',
  'Transfer-Encoding:\r\n chunked',
  'X-Other: a\r\n Transfer-Encoding: chunked',
  'X-Other: a\nTransfer-Encoding: chunked',
  'X-Other: a\rTransfer-Encoding: chunked',
  'Transfer-Encoding\r\n: chunked',
  'Transfer_Encoding: chunked',
  'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity',
  'Transfer-Encoding: \r\nTransfer-Encoding: chunked',
  'Connection: Transfer-Encoding\r\nTransfer-Encoding: chunked',
  'Connection: Content-Length\r\nTransfer-Encoding: chunked',
];

const CODED = CODINGS.flatMap((coding): Attack[] => [
  { name: `CL.TE ${JSON.stringify(coding)}`, bytes: (id) => lengthThenCoding(id, coding) },
  { name: `TE.CL ${JSON.stringify(coding)}`, bytes: (id) => codingThenLength(id, coding) },
  { name: `TE ${JSON.stringify(coding)}`, bytes: (id) => codingAlone(id, coding) },
]);

/** The outer body, then the inner request; `whole` is the length of both, `own` of the first. */
const lengths = (name: string, headers: (whole: number, own: number) => string, line?: string): Attack => ({
  name: `CL ${name}`,
  bytes: (id) => {
    const [own, hidden] = [bodyOf(`${id} ${OUTER}`), inner(id)];
    const ownBytes = Buffer.byteLength(own);
    return `${head(headers(ownBytes + Buffer.byteLength(hidden), ownBytes), line)}${own}${hidden}`;
  },
});

const LENGTHS: readonly Attack[] = [
  lengths('twice, longer first', (whole, own) => `Content-Length: ${whole}\r\nContent-Length: ${own}`),
  lengths('twice, shorter first', (whole, own) => `Content-Length: ${own}\r\nContent-Length: ${whole}`),
  lengths('list, longer first', (whole, own) => `Content-Length: ${whole}, ${own}`),
  lengths('list, shorter first', (whole, own) => `Content-Length: ${own}, ${whole}`),
  lengths('with a plus', (whole, own) => `Content-Length: ${own}\r\nContent-Length: +${whole}`),
  lengths('space before the colon', (whole, own) => `Content-Length : ${whole}\r\nContent-Length: ${own}`),
  lengths('folded', (whole, own) => `Content-Length: ${own}\r\n ${whole}`),
  lengths('octal looks', (_whole, own) => `Content-Length: 0${own}`),
  lengths('underscore', (whole, own) => `Content_Length: ${whole}\r\nContent-Length: ${own}`),
  lengths('named as hop-by-hop', (_whole, own) => `Connection: Content-Length\r\nContent-Length: ${own}`),
  lengths('named as hop-by-hop, whole', (whole) => `Connection: close, Content-Length\r\nContent-Length: ${whole}`),
  lengths(
    'of HTTP/1.0',
    (_whole, own) => `Connection: keep-alive\r\nContent-Length: ${own}`,
    `POST ${CHAT_PATH} HTTP/1.0`,
  ),
  lengths('expected', (_whole, own) => `Expect: 100-continue\r\nContent-Length: ${own}`),
  lengths('oddly expected', (_whole, own) => `Expect: 100-continue, x\r\nContent-Length: ${own}`),
  lengths('behind a bare LF', (whole, own) => `X-A: b\nContent-Length: ${whole}\r\nContent-Length: ${own}`),
  lengths('behind a bare CR', (whole, own) => `X-A: b\rContent-Length: ${whole}\r\nContent-Length: ${own}`),
  lengths('behind a NUL', (whole, own) => `X-A: b\0Content-Length: ${whole}\r\nContent-Length: ${own}`),
  lengths(
    'upgrade to WebSocket',
    (_whole, own) => `Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: ${own}`,
  ),
  lengths(
    'upgrade to h2c',
    (_whole, own) =>
      `Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\nContent-Length: ${own}`,
  ),
];

/** A method without a body, and the inner request where one would be. */
const bodiless = (line: string): Attack => ({
  name: `body of ${line}`,
  bytes: (id) => {
    const hidden = inner(id);
    return `${line}\r\nHost: gateway\r\nContent-Length: ${Buffer.byteLength(hidden)}\r\n\r\n${hidden}`;
  },
});

const chunked = (name: string, body: (own: string, size: string, hidden: string) => string): Attack => ({
  name: `chunks: ${name}`,
  bytes: (id) => {
    const own = bodyOf(`${id} ${OUTER}`);
    return head('Transfer-Encoding: chunked') + body(own, Buffer.byteLength(own).toString(16), inner(id));
  },
});

const CHUNKS: readonly Attack[] = [
  chunked('extension', (own, size, hidden) => `${size};a=b\r\n${own}\r\n0\r\n\r\n${hidden}`),
  chunked('LF in an extension', (own, size, hidden) => `${size};a\n${own}\r\n0\r\n\r\n${hidden}`),
  chunked('CR in an extension', (own, size, hidden) => `${size};a\rb\r\n${own}\r\n0\r\n\r\n${hidden}`),
  chunked('long extension', (own, size, hidden) => `${size};${'a'.repeat(20_000)}\r\n${own}\r\n0\r\n\r\n${hidden}`),
  chunked('LF after the size', (own, size, hidden) => `${size}\n${own}\n0\n\n${hidden}`),
  chunked('LF at the end', (own, size, hidden) => `${size}\r\n${own}\r\n0\n\n${hidden}`),
  chunked('space after the size', (own, size, hidden) => `${size} \r\n${own}\r\n0 \r\n\r\n${hidden}`),
  chunked('0x', (own, size, hidden) => `0x${size}\r\n${own}\r\n0\r\n\r\n${hidden}`),
  chunked('plus', (own, size, hidden) => `+${size}\r\n${own}\r\n0\r\n\r\n${hidden}`),
  chunked('underscore', (own, size, hidden) => `${size}_0\r\n${own}\r\n0\r\n\r\n${hidden}`),
  chunked('more than 32 bits', (own, size, hidden) => `1${size.padStart(8, '0')}\r\n${own}\r\n0\r\n\r\n${hidden}`),
  chunked('more than 64 bits', (own, size, hidden) => `1${size.padStart(16, '0')}\r\n${own}\r\n0\r\n\r\n${hidden}`),
  chunked('shorter than its data', (own, _size, hidden) => `1\r\n${own}\r\n0\r\n\r\n${hidden}`),
  chunked('end without its empty line', (own, size, hidden) => `${size}\r\n${own}\r\n0\r\n${hidden}`),
  chunked('many zeros', (own, size, hidden) => `${size}\r\n${own}\r\n000000000000000000000\r\n\r\n${hidden}`),
  chunked(
    'a length among the trailers',
    (own, size, hidden) => `${size}\r\n${own}\r\n0\r\nContent-Length: 5\r\n\r\n${hidden}`,
  ),
  chunked(
    'a coding among the trailers',
    (own, size, hidden) => `${size}\r\n${own}\r\n0\r\nTransfer-Encoding: x\r\n\r\n${hidden}`,
  ),
  chunked('negative', (own, size, hidden) => `-${size}\r\n${own}\r\n0\r\n\r\n${hidden}`),
];

const REST: readonly Attack[] = [
  bodiless('GET /api/v1/models HTTP/1.1'),
  bodiless('OPTIONS /api/v1/models HTTP/1.1'),
  bodiless('DELETE /api/v1/models HTTP/1.1'),
  bodiless('TRACE / HTTP/1.1'),
  bodiless('GET /livez HTTP/1.1'),
  bodiless('GET http://elsewhere/livez HTTP/1.1'),
  bodiless('GET //livez HTTP/1.1'),
  bodiless('GET /livez%20HTTP/1.1%0d%0aHost:%20x%0d%0a%0d%0a HTTP/1.1'),
  bodiless('GET /livez HTTP/1.1\r\nHost: elsewhere'),
  bodiless('GET /livez HTTP/1.1 HTTP/1.1'),
  bodiless('GET\t/livez\tHTTP/1.1'),
  { name: 'pipelined', bytes: (id) => plainRequest(`${id} ${OUTER}`) + inner(id) },
  { name: 'bare LF lines', bytes: (id) => plainRequest(`${id} ${OUTER}`).replaceAll('\r\n', '\n') + inner(id) },
  { name: 'HTTP/0.9 between', bytes: (id) => `GET /livez\r\n${inner(id)}` },
  {
    name: 'absolute form',
    bytes: (id) =>
      requestText(bodyOf(`${id} ${OUTER}`), { line: `POST http://elsewhere${CHAT_PATH} HTTP/1.1` }) + inner(id),
  },
  {
    name: 'CL.TE of HTTP/1.0',
    bytes: (id) => lengthThenCoding(id, 'Transfer-Encoding: chunked', `POST ${CHAT_PATH} HTTP/1.0`),
  },
];

/** The cases of single requests, each with the next one behind it. */
const SINGLE = Object.entries(FRAMING).flatMap(([group, cases]) =>
  cases.map(([name, bytes]): Attack => ({ name: `${group}: ${name}`, bytes: () => bytes })),
);

export const ATTACKS: readonly Attack[] = [...CODED, ...LENGTHS, ...CHUNKS, ...REST, ...SINGLE];
