/**
 * The web console as static files below `/console/`. It routes by itself: a path that is not a file is `index.html`.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { type ConsoleFile, type ConsoleFiles, readConsoleFiles } from './console-files.ts';

const CONSOLE_MOUNT = '/console';

/** Where `npm run console:build` writes, in the sources and in the published package alike. */
const FOLDER = fileURLToPath(new URL('../../console/', import.meta.url));

/** Placeholder in `index.html` for the nonce. */
const NONCE_PLACE = '__CSP_NONCE__';
const NOT_BUILT = 'The console is not built. Run `npm run console:build` in the repository, then reload this page.\n';

const COMMON: readonly string[] = [
  'x-content-type-options',
  'nosniff',
  'referrer-policy',
  'no-referrer',
  'cross-origin-opener-policy',
  'same-origin',
  'cross-origin-resource-policy',
  'same-origin',
];

const contentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "font-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');

/** A route of the console starts with a word; a name with a dot there, or below the assets, can only be a file. */
const isConsoleRoute = (name: string): boolean => !name.startsWith('assets/') && !name.split('/', 1)[0]?.includes('.');

export type ServeConsole = (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void>;

export function consoleServer(folder = FOLDER): ServeConsole {
  let files: Promise<ConsoleFiles | undefined> | undefined;
  return async (request, response, path) => {
    const isHead = request.method === 'HEAD';
    if (path === '/' || path === CONSOLE_MOUNT) {
      response.writeHead(302, [...COMMON, 'location', `${CONSOLE_MOUNT}/`, 'content-length', '0']).end();
      return;
    }
    files ??= readConsoleFiles(folder);
    const known = await files;
    if (known === undefined) {
      files = undefined;
      return sendText(response, 503, NOT_BUILT, isHead);
    }
    const name = path.slice(CONSOLE_MOUNT.length + 1);
    const file = known.get(name);
    if (file !== undefined && name !== 'index.html')
      return sendFile(response, file, request.headers['accept-encoding'], name.startsWith('assets/'), isHead);
    const index = known.get('index.html');
    if (index === undefined || !isConsoleRoute(name === 'index.html' ? '' : name))
      return sendText(response, 404, 'not found\n', isHead);
    sendIndex(response, index, isHead);
  };
}

/** Whether the console answers at this path. */
export const isConsolePath = (path: string): boolean =>
  path === '/' || path === CONSOLE_MOUNT || path.startsWith(`${CONSOLE_MOUNT}/`);

function sendIndex(response: ServerResponse, { type, plain }: ConsoleFile, isHead: boolean): void {
  const nonce = randomBytes(16).toString('base64');
  const page = plain.toString('utf8').replaceAll(NONCE_PLACE, nonce);
  const headers = ['content-security-policy', contentSecurityPolicy(nonce), 'cache-control', 'no-store'];
  send(response, 200, type, Buffer.from(page), headers, isHead);
}

function sendFile(
  response: ServerResponse,
  { type, plain, br, gzip }: ConsoleFile,
  accepted = '',
  isHashed: boolean,
  isHead: boolean,
): void {
  const takes = (coding: string): boolean => accepted.split(',').some((item) => item.split(';')[0]?.trim() === coding);
  const [body, coding] =
    br !== undefined && takes('br') ? [br, 'br'] : gzip !== undefined && takes('gzip') ? [gzip, 'gzip'] : [plain];
  const cache = isHashed ? 'public, max-age=31536000, immutable' : 'no-cache';
  const headers = ['cache-control', cache, 'vary', 'accept-encoding'];
  send(response, 200, type, body, coding === undefined ? headers : [...headers, 'content-encoding', coding], isHead);
}

const sendText = (response: ServerResponse, status: number, text: string, isHead: boolean): void =>
  send(response, status, 'text/plain; charset=utf-8', Buffer.from(text), ['cache-control', 'no-store'], isHead);

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: Buffer,
  headers: readonly string[],
  isHead: boolean,
): void {
  const length = String(body.byteLength);
  response.writeHead(status, [...COMMON, 'content-type', type, 'content-length', length, ...headers]);
  response.end(isHead ? undefined : body);
}
