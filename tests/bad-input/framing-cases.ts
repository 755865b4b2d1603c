/** B1: HTTP framing. What a strict parser refuses, and what it must still accept. */
import { CHAT_PATH, GOOD_BODY, requestText } from './raw-exchange.ts';

export type FramingCase = readonly [name: string, bytes: string, status: number | 'none'];

const LENGTH = Buffer.byteLength(GOOD_BODY);
const SECOND = 'GET /api/v1/models HTTP/1.1\r\nHost: smuggled\r\n\r\n';
const line = (text: string): string => requestText(GOOD_BODY, { line: text });
const length = (text: string): string => requestText(GOOD_BODY, { length: text });
const header = (text: string): string => requestText(GOOD_BODY, { more: text });
const chunked = (coding: string, body: string): string => requestText('', { length: coding }) + body;
const CHUNKED = 'Transfer-Encoding: chunked';
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const WHOLE = `${chunk(GOOD_BODY)}0\r\n\r\n`;

const REQUEST_LINES: FramingCase[] = [
  ['lower-case method', line(`post ${CHAT_PATH} HTTP/1.1`), 400],
  ['unknown method', line(`GEX ${CHAT_PATH} HTTP/1.1`), 400],
  ['method with a tab', line(`POST\t${CHAT_PATH} HTTP/1.1`), 400],
  ['method with a NUL', line(`PO\0ST ${CHAT_PATH} HTTP/1.1`), 400],
  ['no method', line(` ${CHAT_PATH} HTTP/1.1`), 400],
  ['no target', line('POST  HTTP/1.1'), 400],
  ['two spaces before the version count as one', line(`POST ${CHAT_PATH}  HTTP/1.1`), 200],
  ['no version', line(`POST ${CHAT_PATH}`), 400],
  ['HTTP/1.2', line(`POST ${CHAT_PATH} HTTP/1.2`), 400],
  ['HTTP/2.0', line(`POST ${CHAT_PATH} HTTP/2.0`), 400],
  ['HTTP/0.9', line(`POST ${CHAT_PATH} HTTP/0.9`), 400],
  ['HTTP/11', line(`POST ${CHAT_PATH} HTTP/11`), 400],
  ['HTTP/1.1x', line(`POST ${CHAT_PATH} HTTP/1.1x`), 400],
  ['lower-case version', line(`POST ${CHAT_PATH} http/1.1`), 400],
  ['another scheme', line(`POST ${CHAT_PATH} HTTPS/1.1`), 400],
  ['space in the target', line('POST /api/v1/chat completions HTTP/1.1'), 400],
  ['NUL in the target', line('POST /api/v1/chat\0 HTTP/1.1'), 400],
  ['raw bytes above ASCII in the target', line('POST /api/v1/ch\xe9t HTTP/1.1'), 400],
  ['connection preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['a TLS hello', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
  ['an SSH banner', 'SSH-2.0-OpenSSH_9.9\r\n\r\n', 400],
  ['a reply instead of a request', 'HTTP/1.1 200 OK\r\n\r\n', 400],
  ['JSON without a head', `${GOOD_BODY}\r\n\r\n`, 400],
  ['one empty line first is allowed', `\r\n${requestText()}`, 200],
  ['CONNECT', line('CONNECT example.org:443 HTTP/1.1'), 'none'],
];

const LENGTHS: FramingCase[] = [
  ['negative', length('Content-Length: -1'), 400],
  ['with a plus', length(`Content-Length: +${LENGTH}`), 400],
  ['hexadecimal', length('Content-Length: 0x10'), 400],
  ['a list of the same', length(`Content-Length: ${LENGTH}, ${LENGTH}`), 400],
  ['a list of different ones', length(`Content-Length: ${LENGTH}, 3`), 400],
  ['two numbers', length(`Content-Length: ${LENGTH} 3`), 400],
  ['exponent', length('Content-Length: 1e2'), 400],
  ['fraction', length(`Content-Length: ${LENGTH}.0`), 400],
  ['empty', length('Content-Length: '), 400],
  ['a word', length('Content-Length: many'), 400],
  ['twenty digits', length('Content-Length: 99999999999999999999'), 400],
  ['just above 64 bits', length('Content-Length: 18446744073709551616'), 400],
  ['larger than allowed', length('Content-Length: 99999999999'), 413],
  ['twice the same', length(`Content-Length: ${LENGTH}\r\nContent-Length: ${LENGTH}`), 400],
  ['twice, different', length(`Content-Length: ${LENGTH}\r\nContent-Length: 3`), 400],
  ['space before the colon', length(`Content-Length : ${LENGTH}`), 400],
  ['tab before the colon', length(`Content-Length\t: ${LENGTH}`), 400],
  ['a NUL after the number', length(`Content-Length: ${LENGTH}\0`), 400],
  ['a vertical tab before the number', length(`Content-Length: \v${LENGTH}`), 400],
  ['spaces around are allowed', length(`Content-Length:   ${LENGTH}  `), 200],
  ['no space is allowed', length(`Content-Length:${LENGTH}`), 200],
  ['leading zeros are allowed', length(`Content-Length: 000${LENGTH}`), 200],
  ['an underscore is another header, so there is no body', length(`Content_Length: ${LENGTH}`), 400],
];

const CODINGS: FramingCase[] = [
  ['chunked', chunked(CHUNKED, WHOLE), 200],
  ['upper case', chunked('Transfer-Encoding: CHUNKED', WHOLE), 200],
  ['length and coding', chunked(`Content-Length: ${LENGTH}\r\n${CHUNKED}`, WHOLE), 400],
  ['coding and length', chunked(`${CHUNKED}\r\nContent-Length: 4`, `0\r\n\r\n${SECOND}`), 400],
  ['length 0 and coding', chunked(`Content-Length: 0\r\n${CHUNKED}`, WHOLE), 400],
  ['identity', chunked('Transfer-Encoding: identity', WHOLE), 400],
  ['chunked is not last', chunked('Transfer-Encoding: chunked, identity', WHOLE), 400],
  ['an unknown coding', chunked('Transfer-Encoding: xchunked', WHOLE), 400],
  ['quoted', chunked('Transfer-Encoding: "chunked"', WHOLE), 400],
  ['a vertical tab', chunked('Transfer-Encoding: \vchunked', WHOLE), 400],
  ['a NUL', chunked('Transfer-Encoding: chunked\0', WHOLE), 400],
  ['a space before the colon', chunked('Transfer-Encoding : chunked', WHOLE), 400],
  ['folded', chunked('Transfer-Encoding:\r\n chunked', WHOLE), 400],
  ['a name with a space', chunked('Transfer Encoding: chunked', WHOLE), 400],
  ['two headers, second unknown', chunked(`${CHUNKED}\r\nTransfer-Encoding: x`, WHOLE), 400],
  ['with a semicolon', chunked('Transfer-Encoding: chunked;q=1', WHOLE), 400],
  ['HTTP/1.0 with a coding', requestText('', { line: `POST ${CHAT_PATH} HTTP/1.0`, length: CHUNKED }) + WHOLE, 400],
];

const CHUNKS: FramingCase[] = [
  ['two chunks', chunked(CHUNKED, `${chunk(GOOD_BODY.slice(0, 9))}${chunk(GOOD_BODY.slice(9))}0\r\n\r\n`), 200],
  [
    'upper-case hexadecimal',
    chunked(
      CHUNKED,
      WHOLE.replace(/^\w+/, (size) => size.toUpperCase()),
    ),
    200,
  ],
  ['leading zeros', chunked(CHUNKED, `000${WHOLE}`), 200],
  ['an extension', chunked(CHUNKED, WHOLE.replace('\r\n', ';a=b\r\n')), 200],
  ['a quoted extension', chunked(CHUNKED, WHOLE.replace('\r\n', ';a="b;c"\r\n')), 200],
  ['trailers', chunked(CHUNKED, `${chunk(GOOD_BODY)}0\r\nX-Trailer: 1\r\n\r\n`), 200],
  ['no hexadecimal', chunked(CHUNKED, `G\r\n${GOOD_BODY}\r\n0\r\n\r\n`), 400],
  ['negative', chunked(CHUNKED, `-5\r\n${GOOD_BODY}\r\n0\r\n\r\n`), 400],
  ['with a plus', chunked(CHUNKED, `+5\r\n${GOOD_BODY}\r\n0\r\n\r\n`), 400],
  ['0x', chunked(CHUNKED, `0x5\r\n${GOOD_BODY}\r\n0\r\n\r\n`), 400],
  ['empty', chunked(CHUNKED, `\r\n${GOOD_BODY}\r\n0\r\n\r\n`), 400],
  ['space before the end of the line', chunked(CHUNKED, WHOLE.replace('\r\n', ' \r\n')), 400],
  ['space first', chunked(CHUNKED, ` ${WHOLE}`), 400],
  ['larger than 64 bits', chunked(CHUNKED, `FFFFFFFFFFFFFFFFF\r\n${GOOD_BODY}\r\n0\r\n\r\n`), 400],
  ['smaller than its data', chunked(CHUNKED, `3\r\n${GOOD_BODY}\r\n0\r\n\r\n`), 400],
  ['no CRLF after the data', chunked(CHUNKED, `${LENGTH.toString(16)}\r\n${GOOD_BODY}0\r\n\r\n`), 400],
  ['bare LF after the size', chunked(CHUNKED, `${LENGTH.toString(16)}\n${GOOD_BODY}\r\n0\r\n\r\n`), 400],
  ['bare CR after the size', chunked(CHUNKED, `${LENGTH.toString(16)}\r${GOOD_BODY}\r\n0\r\n\r\n`), 400],
  ['LF inside an extension', chunked(CHUNKED, WHOLE.replace('\r\n', ';a\nb\r\n')), 400],
  ['a broken trailer', chunked(CHUNKED, `${chunk(GOOD_BODY)}0\r\nbad trailer\r\n\r\n`), 400],
  ['comma in the size', chunked(CHUNKED, WHOLE.replace('\r\n', ',5\r\n')), 400],
];

const CONTROLS = [...Array(32).keys(), 127].filter((code) => code !== 9 && code !== 10 && code !== 13);
const NOT_IN_NAMES = ' "(),/:;<=>?@[\\]{}\x7f\x80\xff';

const HEADER_LINES: FramingCase[] = [
  ['without a colon', header('X-Broken'), 400],
  ['without a name', header(': value'), 400],
  ['folded with a space', header('X-Fold: a\r\n b'), 400],
  ['folded with a tab', header('X-Fold: a\r\n\tb'), 400],
  ['a space before the first header', `POST ${CHAT_PATH} HTTP/1.1\r\n Host: gateway\r\n\r\n`, 400],
  ['bare LF line ends', requestText().replaceAll('\r\n', '\n'), 400],
  ['bare CR in a value', header('X-A: b\rX-C: d'), 400],
  ['bare LF in a value', header('X-A: b\nX-C: d'), 400],
  ['CR CR LF', header('X-A: b\r'), 400],
  ['an empty value is allowed', header('X-Empty:'), 200],
  ['tabs in a value are allowed', header('X-Tab: a\tb'), 200],
  ['bytes above ASCII in a value are allowed', header('X-Byte: caf\xe9'), 200],
  ...CONTROLS.map(
    (code): FramingCase => [`byte ${code} in a value`, header(`X-A: b${String.fromCharCode(code)}c`), 400],
  ),
  ...[...NOT_IN_NAMES]
    .filter((byte) => byte !== ':')
    .map((byte): FramingCase => [`${JSON.stringify(byte)} in a name`, header(`X${byte}A: b`), 400]),
];

export const FRAMING: Readonly<Record<string, readonly FramingCase[]>> = {
  'request line': REQUEST_LINES,
  'content length': LENGTHS,
  'transfer coding': CODINGS,
  chunks: CHUNKS,
  'header lines': HEADER_LINES,
};
