/** Where attacks are played: a gateway with its hosts, each a process, under a guard that kills it before the machine is out of memory. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { choosePorts } from '../../../bench/ports.ts';
import { freshDatabase } from '../../support/database.ts';
import { hasEnded, ROOT } from '../parts/child.ts';
import { type GatewayProcess, OPERATOR_SECRET } from '../parts/gateway-process.ts';
import { operate } from '../parts/operator.ts';
import { childrenOf, residentBytes } from '../parts/process-facts.ts';
import type { Stage } from '../parts/stage.ts';
import type { Attack, Listener } from './attack.ts';
import { Program } from './programs.ts';
import { KEYS } from './wire.ts';

export const MB = 1024 * 1024;
/** The budget where memory is judged. */
export const MEMORY_BYTES = 2048 * MB;
/** At this resident size a process is killed, and has failed. */
const KILL_BYTES = 5 * 1024 * MB;
const LOOK_MS = 25;
/** A process that has grown beyond this is not attacked again. */
const GROWN_BYTES = 450 * MB;
const WORKERS = 2;
const CAPTURE_DAYS = 7;
const DAY_MS = 86_400_000;

export type Limits = Readonly<Record<string, number>>;
export const VICTIM_MODEL = 'v/ok';

const HOSTILE = new URL('hostile-host.ts', import.meta.url);
const SCHEMA: { readonly properties: { readonly limits: { readonly properties: Readonly<Record<string, object>> } } } =
  JSON.parse(readFileSync(join(ROOT, 'packages/gateway/config.schema.json'), 'utf8'));

/** Settings the gateway does not have. A run that needs one of them proves nothing. */
export const unknownLimits = (limits: Limits): readonly string[] =>
  Object.keys(limits).filter((name) => !(name in SCHEMA.properties.limits.properties));

export const MEMORY_LIMITS: Limits =
  unknownLimits({ memoryBytes: 0 }).length === 0 ? { memoryBytes: MEMORY_BYTES } : {};

export type Kind = NonNullable<Attack['gateway']> | 'plain';

/** Resident bytes of a gateway and its workers; 0 once it has ended. */
export function residentOf({ child }: GatewayProcess): number {
  try {
    return [child.pid, ...childrenOf(child.pid)].reduce((sum, pid) => sum + residentBytes(pid), 0);
  } catch {
    return 0;
  }
}

/** Highest resident size since the start, and whether it was more than the machine can bear. */
export class MemoryGuard {
  readonly #gateway: GatewayProcess;
  readonly #timer: NodeJS.Timeout;
  peakBytes = 0;
  hasKilled = false;

  constructor(gateway: GatewayProcess) {
    this.#gateway = gateway;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  #look(): void {
    // Reading the processes of the machine every time would cost more than it is worth: workers are not judged by memory.
    let bytes = 0;
    try {
      bytes = residentBytes(this.#gateway.child.pid);
    } catch {
      return;
    }
    this.peakBytes = Math.max(this.peakBytes, bytes);
    if (bytes < KILL_BYTES) return;
    this.hasKilled = true;
    void this.#gateway.child.kill();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

const FORMATS = { c: 'openai-chat', a: 'anthropic-messages', g: 'google-generate', r: 'openai-responses' } as const;
const BASES: Readonly<Record<keyof typeof FORMATS, string>> = { c: '/v1', a: '', g: '/v1beta', r: '/v1' };

export class Site {
  readonly #stage: Stage;
  readonly #hostile: string;
  readonly #good: string;
  readonly #membersPort: number;
  readonly #settings: Readonly<Record<string, unknown>>;
  #current: { readonly gateway: GatewayProcess; readonly of: string } | undefined;
  #started = 0;

  private constructor(
    stage: Stage,
    [hostile = '', good = '']: readonly string[],
    membersPort: number,
    settings: Readonly<Record<string, unknown>>,
  ) {
    this.#settings = settings;
    this.#stage = stage;
    this.#hostile = hostile;
    this.#good = good;
    this.#membersPort = membersPort;
  }

  /** `settings` are merged over those of every gateway. */
  static async open(stage: Stage, settings: Readonly<Record<string, unknown>> = {}): Promise<Site> {
    const urls: string[] = [];
    for (const _ of ['hostile', 'good']) {
      const { ready } = await Program.start<{ port: number }>(stage, HOSTILE);
      urls.push(`http://127.0.0.1:${ready.port}`);
    }
    const [membersPort = 0] = await choosePorts(1, undefined);
    return new Site(stage, urls, membersPort, settings);
  }

  /** A gateway that has not grown much; the last one if it was started alike. */
  async gateway(limits: Limits, kind: Kind = 'plain', trustedProxies: readonly string[] = []): Promise<GatewayProcess> {
    const of = JSON.stringify([limits, kind, trustedProxies]);
    const last = this.#current;
    if (last?.of === of && !hasEnded(last.gateway.child.process) && residentOf(last.gateway) < GROWN_BYTES)
      return last.gateway;
    await this.close();
    const gateway = await this.#start(limits, kind, trustedProxies);
    this.#current = { gateway, of };
    return gateway;
  }

  async close(): Promise<void> {
    await this.#current?.gateway.child.kill();
    this.#current = undefined;
  }

  urlOf(gateway: GatewayProcess, listener: Listener = 'data'): string {
    if (listener === 'members') return `http://127.0.0.1:${this.#membersPort}`;
    return listener === 'admin' ? gateway.adminUrl : gateway.url;
  }

  async #start(limits: Limits, kind: Kind, trustedProxies: readonly string[]): Promise<GatewayProcess> {
    const [port = 0, adminPort = 0] = await choosePorts(2, undefined);
    const at = { url: `http://127.0.0.1:${port}`, adminUrl: `http://127.0.0.1:${adminPort}` };
    const gateway = await this.#stage.gateway(
      { ...this.#config(limits), ...this.#settings, ...(await this.#more(kind, adminPort)) },
      {
        name: `gateway-${this.#started++}`,
        at,
        trustedProxies,
        probed: kind !== 'workers',
        args: kind === 'workers' ? ['--workers', String(WORKERS)] : [],
      },
    );
    if (kind === 'capture') await captureAll(gateway);
    return gateway;
  }

  #config(limits: Limits): Record<string, unknown> {
    const letters = Object.keys(FORMATS) as (keyof typeof FORMATS)[];
    return {
      keys: [
        { name: 'attacker', secret: KEYS.attacker, account: 'attacker' },
        { name: 'victim', secret: KEYS.victim, account: 'victim' },
      ],
      providers: {
        ...Object.fromEntries(
          letters.map((letter) => [
            `hostile-${letter}`,
            { dialect: FORMATS[letter], baseUrl: `${this.#hostile}${BASES[letter]}`, auth: 'none' },
          ]),
        ),
        images: { dialect: 'openai-images', baseUrl: `${this.#hostile}/v1`, auth: 'none' },
        good: { dialect: 'openai-chat', baseUrl: `${this.#good}/v1`, auth: 'none' },
      },
      models: [
        ...letters.map((letter) => ({
          id: `${letter}/*`,
          contextLength: 90_000_000,
          inputModalities: ['text', 'image'],
          capabilities: { tools: true },
          endpoints: [{ provider: `hostile-${letter}`, upstreamModel: '*' }],
        })),
        {
          id: 'i/image',
          inputModalities: ['text', 'image'],
          outputModalities: ['image'],
          endpoints: [{ provider: 'images' }],
        },
        { id: VICTIM_MODEL, contextLength: 90_000_000, endpoints: [{ provider: 'good', upstreamModel: 'ok' }] },
      ],
      limits,
    };
  }

  async #more(kind: Kind, adminPort: number): Promise<Record<string, unknown>> {
    if (kind === 'plain' || kind === 'workers') return {};
    const database = await freshDatabase();
    this.#stage.atEnd(() => database.drop());
    const admin = { host: '127.0.0.1', port: adminPort, secret: OPERATOR_SECRET };
    return {
      database: { url: database.url },
      ledger: { journal: join(this.#stage.folder, `journal-${this.#started}`) },
      secrets: { keys: ['a-key-for-secrets-0123456789abcdefghijkl'] },
      ...(kind === 'members' && { admin: { ...admin, members: { host: '127.0.0.1', port: this.#membersPort } } }),
    };
  }
}

async function captureAll(gateway: GatewayProcess): Promise<void> {
  await operate(gateway, 'PATCH', '/accounts/attacker/records', {
    bodies: 'all',
    until: new Date(Date.now() + CAPTURE_DAYS * DAY_MS).toISOString(),
  });
}
