/** What sign-in from programs answers: JSON as OAuth 2 has it, and pages without scripts. */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** `code`: as RFC 6749, 7009 and 8628 name it. The description is safe to show. */
export class OAuthProblem extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, description: string) {
    super(description);
    this.name = 'OAuthProblem';
    this.status = status;
    this.code = code;
  }
}

/** For people. */
export class PageProblem extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'PageProblem';
    this.status = status;
  }
}

export type WebReply = {
  readonly status: number;
  readonly headers: readonly string[];
  readonly text: string;
};

/** Without a referrer browsers would not say where a form comes from either. */
const COMMON = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff', 'referrer-policy', 'same-origin'];

export const json = (status: number, body: object, headers: readonly string[] = []): WebReply => ({
  status,
  headers: [...COMMON, 'content-type', 'application/json', 'pragma', 'no-cache', ...headers],
  text: JSON.stringify(body),
});

export const redirect = (location: string, cookie?: string): WebReply => ({
  status: 303,
  headers: [...COMMON, 'location', location, ...(cookie === undefined ? [] : ['set-cookie', cookie])],
  text: '',
});

/** `html`: of the page's middle. `sendsTo`: where its forms lead in the end, besides this gateway and any https. */
export function page(
  status: number,
  title: string,
  html: string,
  { cookie, sendsTo = '' }: { readonly cookie?: string; readonly sendsTo?: string } = {},
): WebReply {
  const nonce = randomBytes(16).toString('base64');
  // Browsers hold redirects after a form to this list as well, and identity providers redirect as they like.
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self' https: ${sendsTo}; base-uri 'none'; frame-ancestors 'none'`;
  return {
    status,
    headers: [
      ...COMMON,
      'content-type',
      'text/html; charset=utf-8',
      'content-security-policy',
      policy.replace(' ;', ';'),
      'x-frame-options',
      'DENY',
      'cross-origin-opener-policy',
      'same-origin',
      'cross-origin-resource-policy',
      'same-origin',
      ...(cookie === undefined ? [] : ['set-cookie', cookie]),
    ],
    text: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${escaped(title)} · Trivium</title>
<style nonce="${nonce}">${STYLE}</style></head>
<body><main><p class="brand">Trivium</p><h1>${escaped(title)}</h1>${html}</main></body></html>
`,
  };
}

export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);

export function send(request: IncomingMessage, response: ServerResponse, { status, headers, text }: WebReply): void {
  response.writeHead(status, [...headers, 'content-length', String(Buffer.byteLength(text))]);
  response.end(request.method === 'HEAD' ? '' : text);
}

/** The colours and letters of the console, whose files are on another listener. */
const STYLE = `:root{color-scheme:light dark;--bg:light-dark(#f7f8fa,#0f1216);--surface:light-dark(#fff,#161a20);
--line:light-dark(#d9dde5,#2a303a);--line-strong:light-dark(#868e9c,#6f7988);--text:light-dark(#14181f,#e8ebf0);
--muted:light-dark(#535c6b,#a5aebb);--accent:light-dark(#1f5fd0,#7fb0ff);--on-accent:light-dark(#fff,#0f1216);
--warn:light-dark(#8a5200,#f0b54d);--warn-soft:light-dark(#fdf0d9,#3a2a0c)}
*{box-sizing:border-box}body{margin:0;min-height:100vh;display:grid;place-items:center;background:var(--bg);color:var(--text);
font:15px/22px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{width:min(26rem,calc(100vw - 32px));margin:24px 0;padding:28px;background:var(--surface);border:1px solid var(--line);border-radius:6px}
h1{font-size:18px;line-height:26px;font-weight:550;margin:0 0 12px}p{margin:0 0 12px}.brand{color:var(--muted);font-size:13px}
dl{display:grid;grid-template-columns:auto 1fr;gap:6px 16px;margin:0 0 16px}dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}
.code{font:24px/32px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;letter-spacing:.08em}
.warn{background:var(--warn-soft);color:var(--warn);padding:10px 12px;border-radius:6px}
form{display:flex;flex-wrap:wrap;gap:10px;margin:0 0 10px}label{flex:1 1 100%;display:grid;gap:4px;color:var(--muted);font-size:13px}
input,select,button{font:inherit;padding:6px 12px;border:1px solid var(--line-strong);border-radius:6px;background:var(--surface);color:var(--text)}
button{cursor:pointer}button.first{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}`;
