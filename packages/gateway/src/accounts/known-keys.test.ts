import { GatewayError } from '@trivium/protocol/canonical';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Accounts } from '../kernel/caller-port.ts';
import type { Caller } from './caller.ts';
import { hashSecret, newKeySecret } from './key-secret.ts';
import type { KeyRecord } from './key-source.ts';
import { KnownKeys } from './known-keys.ts';
import { StaticKeys } from './static-keys.ts';

const GRACE_MS = 60_000;
const secret = newKeySecret();
const record = (own: Partial<KeyRecord> = {}): KeyRecord => ({
  keyId: 'key_1',
  accountId: 'acme',
  memberId: undefined,
  rights: {},
  expiresInMs: undefined,
  isSuspended: false,
  role: undefined,
  ...own,
});

/** A store whose answers wait until they are let go, and that can be down. */
class Desk {
  readonly rows = new Map<string, KeyRecord>();
  asked = 0;
  isDown = false;
  held: Promise<void> | undefined;
  readonly find = async (hash: string): Promise<KeyRecord | undefined> => {
    this.asked++;
    const row = this.rows.get(hash);
    await this.held;
    if (this.isDown) throw new Error('connection refused');
    return row;
  };
}

let desk: Desk;
let nowMs: number;
let keys: KnownKeys;
let accounts: Accounts;
const fileSecret = 'a-secret-of-the-file';

beforeEach(() => {
  desk = new Desk();
  nowMs = 1000;
  keys = new KnownKeys({ source: desk, monotonicMs: () => nowMs, graceMs: GRACE_MS, onTrouble: () => undefined });
  const fixed = { name: 'file', hash: hashSecret(fileSecret), account: 'team', strict: false };
  accounts = keys.behind(new StaticKeys([fixed], () => 0));
  desk.rows.set(hashSecret(secret), record());
  keys.nowListening();
});

const statusOf = async (find: () => unknown): Promise<string> => {
  try {
    const caller = (await find()) as Caller | undefined;
    return caller?.keyId ?? 'nobody';
  } catch (error) {
    return error instanceof GatewayError ? error.fault.kind : String(error);
  }
};

describe('KnownKeys', () => {
  test('asks once for a key, however many come with it, and then answers without a promise', async () => {
    const found = await Promise.all([1, 2, 3].map(() => accounts.find(secret)));
    expect(found.map((caller) => caller?.keyId)).toEqual(['key_1', 'key_1', 'key_1']);
    expect(accounts.find(secret)).toMatchObject({ keyId: 'key_1', accountId: 'acme' });
    expect(desk.asked).toBe(1);
  });

  test('says whose key it is, where it is a member’s', async () => {
    expect((await accounts.find(secret))?.memberId).toBeUndefined();
    const hers = newKeySecret();
    desk.rows.set(hashSecret(hers), record({ keyId: 'key_3', memberId: 'mem_ann' }));
    expect(await accounts.find(hers)).toMatchObject({ keyId: 'key_3', memberId: 'mem_ann' });
  });

  test('asks no store about keys of the file or about what cannot be one of ours', () => {
    expect(accounts.find(fileSecret)).toMatchObject({ keyId: 'file' });
    for (const wrong of ['', 'sk-trivium-short', `${secret}x`, "' or 1=1 --"])
      expect(accounts.find(wrong)).toBeUndefined();
    expect(desk.asked).toBe(0);
  });

  test('remembers strangers for a moment only', async () => {
    const stranger = newKeySecret();
    expect(await accounts.find(stranger)).toBeUndefined();
    expect(accounts.find(stranger)).toBeUndefined();
    expect(desk.asked).toBe(1);
    nowMs += 1000;
    desk.rows.set(hashSecret(stranger), record({ keyId: 'key_2' }));
    expect(await accounts.find(stranger)).toMatchObject({ keyId: 'key_2' });
  });

  test('forgets a key that changed, and a stranger that has become one', async () => {
    await accounts.find(secret);
    desk.rows.delete(hashSecret(secret));
    keys.forget(`key:${hashSecret(secret)}`);
    expect(await accounts.find(secret)).toBeUndefined();
    desk.rows.set(hashSecret(secret), record());
    keys.forget(`new:${hashSecret(secret)}`);
    expect(await accounts.find(secret)).toMatchObject({ keyId: 'key_1' });
    // Word of its making that comes late takes nothing away.
    keys.forget(`new:${hashSecret(secret)}`);
    expect(accounts.find(secret)).toMatchObject({ keyId: 'key_1' });
  });

  test('forgets all keys of an account that changed, and no others', async () => {
    const other = newKeySecret();
    desk.rows.set(hashSecret(other), record({ keyId: 'key_2', accountId: 'umbrella' }));
    await Promise.all([accounts.find(secret), accounts.find(other)]);
    desk.rows.set(hashSecret(secret), record({ isSuspended: true }));
    keys.forget('account:acme');
    expect(accounts.find(other)).toMatchObject({ keyId: 'key_2' });
    expect(await statusOf(() => accounts.find(secret))).toBe('forbidden');
  });

  test('does not keep what was read before the word of a change came', async () => {
    let letGo = (): void => undefined;
    desk.held = new Promise((resolve) => {
      letGo = resolve;
    });
    const early = accounts.find(secret);
    desk.rows.delete(hashSecret(secret));
    keys.forget(`key:${hashSecret(secret)}`);
    letGo();
    await early;
    expect(await accounts.find(secret)).toBeUndefined();
  });

  test('keeps a key that is made while it is looked up, and not that there was none', async () => {
    const stranger = newKeySecret();
    let letGo = (): void => undefined;
    desk.held = new Promise((resolve) => {
      letGo = resolve;
    });
    const early = [accounts.find(secret), accounts.find(stranger)];
    for (const each of [secret, stranger]) keys.forget(`new:${hashSecret(each)}`);
    letGo();
    await Promise.all(early);
    desk.rows.set(hashSecret(stranger), record({ keyId: 'key_2' }));
    expect(accounts.find(secret)).toMatchObject({ keyId: 'key_1' });
    expect(await accounts.find(stranger)).toMatchObject({ keyId: 'key_2' });
  });

  test('believes nothing for long while it may miss word, nor what it learned before', async () => {
    await accounts.find(secret);
    nowMs += 10_000;
    expect(accounts.find(secret)).toMatchObject({ keyId: 'key_1' });
    keys.nowDeaf();
    desk.rows.delete(hashSecret(secret));
    expect(await accounts.find(secret)).toBeUndefined();
    desk.rows.set(hashSecret(secret), record());
    nowMs += 1000;
    await accounts.find(secret);
    desk.rows.delete(hashSecret(secret));
    nowMs += 1000;
    keys.nowListening();
    expect(await accounts.find(secret)).toBeUndefined();
  });

  test('looks a key in use up again beside the request, in case word was lost', async () => {
    await accounts.find(secret);
    desk.rows.delete(hashSecret(secret));
    nowMs += 30_001;
    expect(accounts.find(secret)).toMatchObject({ keyId: 'key_1' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(accounts.find(secret)).toBeUndefined();
  });

  test('stops at the moment of expiry by the clock of the store', async () => {
    desk.rows.set(hashSecret(secret), record({ expiresInMs: 5000 }));
    await accounts.find(secret);
    nowMs += 4999;
    expect(accounts.find(secret)).toMatchObject({ keyId: 'key_1' });
    nowMs += 1;
    expect(accounts.find(secret)).toBeUndefined();
  });

  test('takes known keys for the grace while the store is down; others get retry-after, never access', async () => {
    await accounts.find(secret);
    desk.isDown = true;
    keys.nowDeaf();
    nowMs += 1000;
    expect(await statusOf(() => accounts.find(secret))).toBe('key_1');
    expect(await statusOf(() => accounts.find(newKeySecret()))).toBe('overloaded');
    const { asked } = desk;
    expect(await statusOf(() => accounts.find(newKeySecret()))).toBe('overloaded');
    expect(desk.asked).toBe(asked);
    nowMs += GRACE_MS;
    expect(await statusOf(() => accounts.find(secret))).toBe('overloaded');
    expect(accounts.find(fileSecret)).toMatchObject({ keyId: 'file' });
    desk.isDown = false;
    nowMs += 1000;
    expect(await statusOf(() => accounts.find(secret))).toBe('key_1');
  });

  test('counts the grace from the last sign of life, not from the last question', async () => {
    await accounts.find(secret);
    nowMs += 10 * GRACE_MS;
    keys.noteContact();
    desk.isDown = true;
    keys.nowDeaf();
    nowMs += 1000;
    expect(await statusOf(() => accounts.find(secret))).toBe('key_1');
  });

  test('does not believe for ever what is only confirmed by the absence of word', async () => {
    await accounts.find(secret);
    desk.isDown = true;
    nowMs += GRACE_MS + 1;
    expect(await statusOf(() => accounts.find(secret))).toBe('overloaded');
  });
});
