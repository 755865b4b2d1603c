/** HashiCorp Vault and OpenBao: secrets of a KV engine, version 2, and the token with which they are read. */
import type { Clock } from '../../kernel/clock.ts';
import { type AskIssuer, type IssuerReply, unreadable } from '../signing/ask.ts';
import { membersIn } from '../signing/bearer-token.ts';
import { notSetUp } from '../signing/machine.ts';

export type VaultSettings = {
  readonly address: string;
  readonly mount: string;
  readonly namespace?: string;
  readonly authMount?: string;
  readonly auth: 'token' | 'kubernetes' | 'approle';
  readonly token?: string;
  readonly role?: string;
  readonly tokenFile?: string;
  readonly roleId?: string;
  readonly secretId?: string;
};
export type StorePorts = {
  readonly ask: AskIssuer;
  readonly clock: Clock;
  readonly readFile: (path: string) => Promise<string>;
};

type Members = Readonly<Record<string, unknown>>;
type Session = {
  readonly token: string;
  readonly renewAtMs: number;
  readonly endsAtMs: number;
  readonly renewable: boolean;
};

const POD_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';
/** Characters allowed in a header. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;
const FORBIDDEN = 403;

const mapIn = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};

export class VaultStore {
  readonly #settings: VaultSettings;
  readonly #ports: StorePorts;
  #session: Session | undefined;
  #signing: Promise<Session> | undefined;

  constructor(settings: VaultSettings, ports: StorePorts) {
    this.#settings = settings;
    this.#ports = ports;
  }

  /** The members of a secret. */
  async read(name: string): Promise<Members> {
    const path = `${this.#settings.mount}/data/${name}`;
    const session = await this.#signedIn();
    let reply = await this.#ask('GET', path, session.token);
    if (reply.status === FORBIDDEN && (await this.#isOver(session)))
      reply = await this.#ask('GET', path, (await this.#signedIn()).token);
    const { data } = mapIn(membersIn(reply)['data']);
    if (typeof data !== 'object' || data === null) throw unreadable('no members');
    return mapIn(data);
  }

  /** Revoked, or at the end of its life. A token that is neither may just not read this path. */
  async #isOver(session: Session): Promise<boolean> {
    const { status } = await this.#ask('GET', 'auth/token/lookup-self', session.token);
    if (status === FORBIDDEN && this.#session === session) this.#session = undefined;
    return status === FORBIDDEN;
  }

  #signedIn(): Session | Promise<Session> {
    const session = this.#session;
    if (session !== undefined && this.#ports.clock.nowMs() < session.renewAtMs) return session;
    this.#signing ??= this.#sign(session).finally(() => {
      this.#signing = undefined;
    });
    return this.#signing;
  }

  /** A token that can be renewed is: a new one may cost a secret id that works only once. */
  async #sign(old: Session | undefined): Promise<Session> {
    const isAlive = old !== undefined && this.#ports.clock.nowMs() < old.endsAtMs;
    const renewed = isAlive && old.renewable ? await this.#renewed(old).catch(() => undefined) : undefined;
    try {
      this.#session = renewed ?? (await this.#login());
    } catch (error) {
      if (!isAlive) throw error;
      return old;
    }
    return this.#session;
  }

  async #renewed({ token }: Session): Promise<Session> {
    return this.#sessionIn(membersIn(await this.#ask('POST', 'auth/token/renew-self', token, {})), token);
  }

  async #login(): Promise<Session> {
    const { auth, token, role, tokenFile = POD_TOKEN, roleId, secretId, authMount = auth } = this.#settings;
    if (auth === 'token') return this.#given(token ?? '');
    const proof =
      auth === 'approle'
        ? { role_id: roleId, secret_id: secretId }
        : { role, jwt: await this.#ports.readFile(tokenFile).catch(unreadableToken) };
    return this.#sessionIn(membersIn(await this.#ask('POST', `auth/${authMount}/login`, undefined, proof)));
  }

  /** How long it lives is known to the store, if it may be asked. */
  async #given(token: string): Promise<Session> {
    const endless = {
      token,
      renewAtMs: Number.POSITIVE_INFINITY,
      endsAtMs: Number.POSITIVE_INFINITY,
      renewable: false,
    };
    const reply = await this.#ask('GET', 'auth/token/lookup-self', token);
    if (reply.status !== 200) return endless;
    const { ttl, renewable } = mapIn(membersIn(reply)['data']);
    if (typeof ttl !== 'number' || ttl <= 0 || renewable !== true) return endless;
    return this.#lasting(token, ttl, true);
  }

  #sessionIn(members: Members, known?: string): Session {
    const { client_token: token = known, lease_duration: lasts, renewable } = mapIn(members['auth']);
    if (typeof token !== 'string' || !TOKEN.test(token)) throw unreadable('no token');
    return this.#lasting(token, typeof lasts === 'number' && lasts > 0 ? lasts : 0, renewable === true);
  }

  #lasting(token: string, seconds: number, renewable: boolean): Session {
    const nowMs = this.#ports.clock.nowMs();
    const lifeMs = seconds === 0 ? Number.POSITIVE_INFINITY : seconds * 1000;
    return { token, renewable, renewAtMs: nowMs + (lifeMs * 2) / 3, endsAtMs: nowMs + lifeMs };
  }

  #ask(method: 'GET' | 'POST', path: string, token: string | undefined, body?: object): Promise<IssuerReply> {
    const { address, namespace } = this.#settings;
    return this.#ports.ask({
      url: new URL(`/v1/${path}`, address),
      method,
      headers: {
        'x-vault-request': 'true',
        ...(token !== undefined && { 'x-vault-token': token }),
        ...(namespace !== undefined && { 'x-vault-namespace': namespace }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }
}

const unreadableToken = (cause: unknown): never => {
  throw notSetUp('the file of the token of the pod cannot be read', cause);
};
