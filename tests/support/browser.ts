/** A minimal browser for sessions: a cookie jar per host, and admin API requests as the console sends them. */

export type PageReply = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, unknown>;
};

const jsonIn = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
};

let browsers = 0;

export class Browser {
  /** Headers that a trusted proxy would add. */
  readonly address = `192.0.2.${++browsers % 250}`;
  csrf = '';
  readonly #jars = new Map<string, Map<string, string>>();

  cookies(url: string): ReadonlyMap<string, string> {
    return this.#jar(url);
  }

  /** Follows no redirect. */
  async send(url: string, init: RequestInit = {}): Promise<PageReply> {
    const jar = this.#jar(url);
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#keep(jar, line);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: jsonIn(text) };
  }

  /** Like a page at `url`: with its origin, and with the CSRF token once there is one. */
  async api(url: string, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const reply = await this.send(`${url}/admin/v1${path}`, {
      method,
      headers: {
        ...(method !== 'GET' && { origin: new URL(url).origin, 'x-trivium-csrf': this.csrf }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        'x-forwarded-for': this.address,
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const { csrf } = reply.json;
    if (typeof csrf === 'string') this.csrf = csrf;
    return reply;
  }

  #jar(url: string): Map<string, string> {
    const { host } = new URL(url);
    const jar = this.#jars.get(host) ?? new Map<string, string>();
    this.#jars.set(host, jar);
    return jar;
  }

  #keep(jar: Map<string, string>, line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const at = pair.indexOf('=');
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    const isOver = attributes.some((one) => /^max-age=0$/i.test(one) || /^expires=thu, 01 jan 1970/i.test(one));
    if (isOver || value === '') jar.delete(name);
    else jar.set(name, value);
  }
}
