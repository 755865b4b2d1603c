import { GatewayError } from '@trivium/protocol/canonical';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Caller } from '../../kernel/caller.ts';
import type { Accounts } from '../../kernel/caller-port.ts';
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

/** A key store that can delay its answers, and can be down. */
class FakeStore {
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

let store: FakeStore;
let nowMs: number;
let keys: KnownKeys;
let accounts: Accounts;
const fileSecret = 'a-secret-of-the-file';

beforeEach(() => {
  store = new FakeStore();
  nowMs = 1000;
  keys = new KnownKeys({
    source: store,
    monotonicMs: () => nowMs,
    graceMs: GRACE_MS,
    onTrouble: () => undefined,
    proofRule: () => ({ signInUrl: 'https://gw.example.com/console/' }),
  });
  const fixed = { name: 'file', hash: hashSecret(fileSecret), account: 'team', strict: false };
  accounts = keys.behind(new StaticKeys([fixed], () => 0));
  store.rows.set(hashSecret(secret), record());
  keys.nowListening();
});

const statusOf = async (find: () => unknown): Promise<string> => {
  try {
    const caller = (await find()) as Caller | undefined;
    return caller?.keyId ?? 'none';
  } catch (error) {
    return error instanceof GatewayError ? error.fault.kind : String(error);
  }
};

describe('KnownKeys', () => {
  test('looks a key up once for concurrent requests, and then answers without a promise', async () => {
    const found = await Promise.all([1, 2, 3].map(() => accounts.find(secret)));
    expect(found.map((caller) => caller?.keyId)).toEqual(['key_1', 'key_1', 'key_1']);
    expect(accounts.find(secret)).toMatchObject({ keyId: 'key_1', accountId: 'acme' });
    expect(store.asked).toBe(1);
  });

  test('returns the member that owns a key', async () => {
    expect((await accounts.find(secret))?.memberId).toBeUndefined();
    const hers = newKeySecret();
    store.rows.set(hashSecret(hers), record({ keyId: 'key_3', memberId: 'mem_ann' }));
    expect(await accounts.find(hers)).toMatchObject({ keyId: 'key_3', memberId: 'mem_ann' });
  });

  test('does not look up configured keys, nor secrets of another form', () => {
    expect(accounts.find(fileSecret)).toMatchObject({ keyId: 'file' });
    for (const wrong of ['', 'sk-trivium-short', `${secret}x`, "' or 1=1 --"])
      expect(accounts.find(wrong)).toBeUndefined();
    expect(store.asked).toBe(0);
  });

  test('caches unknown keys for a moment only', async () => {
    const unknown = newKeySecret();
    expect(await accounts.find(unknown)).toBeUndefined();
    expect(accounts.find(unknown)).toBeUndefined();
    expect(store.asked).toBe(1);
    nowMs += 1000;
    store.rows.set(hashSecret(unknown), record({ keyId: 'key_2' }));
    expect(await accounts.find(unknown)).toMatchObject({ keyId: 'key_2' });
  });

  test('drops a changed key from the cache, and an unknown key that was created', async () => {
    await accounts.find(secret);
    store.rows.delete(hashSecret(secret));
    keys.forget(`key:${hashSecret(secret)}`);
    expect(await accounts.find(secret)).toBeUndefined();
    store.rows.set(hashSecret(secret), record());
    keys.forget(`new:${hashSecret(secret)}`);
    expect(await accounts.find(secret)).toMatchObject({ keyId: 'key_1' });
    // A late notification about its creation removes nothing.
    keys.forget(`new:${hashSecret(secret)}`);
    expect(accounts.find(secret)).toMatchObject({ keyId: 'key_1' });
  });

  test('drops all keys of a changed account from the cache, and no others', async () => {
    const other = newKeySecret();
    store.rows.set(hashSecret(other), record({ keyId: 'key_2', accountId: 'umbrella' }));
    await Promise.all([accounts.find(secret), accounts.find(other)]);
    store.rows.set(hashSecret(secret), record({ isSuspended: true }));
    keys.forget('account:acme');
    expect(accounts.find(other)).toMatchObject({ keyId: 'key_2' });
    expect(await statusOf(() => accounts.find(secret))).toBe('forbidden');
  });

  test('does not cache what was read before the notification of a change', async () => {
    let letGo = (): void => undefined;
    store.held = new Promise((resolve) => {
      letGo = resolve;
    });
    const early = accounts.find(secret);
    store.rows.delete(hashSecret(secret));
    keys.forget(`key:${hashSecret(secret)}`);
    letGo();
    await early;
    expect(await accounts.find(secret)).toBeUndefined();
  });

  test('caches a key that is created during its lookup, and not its absence', async () => {
    const unknown = newKeySecret();
    let letGo = (): void => undefined;
    store.held = new Promise((resolve) => {
      letGo = resolve;
    });
    const early = [accounts.find(secret), accounts.find(unknown)];
    for (const each of [secret, unknown]) keys.forget(`new:${hashSecret(each)}`);
    letGo();
    await Promise.all(early);
    store.rows.set(hashSecret(unknown), record({ keyId: 'key_2' }));
    expect(accounts.find(secret)).toMatchObject({ keyId: 'key_1' });
    expect(await accounts.find(unknown)).toMatchObject({ keyId: 'key_2' });
  });

  test('trusts cached keys only briefly while notifications may be missed, and distrusts them afterwards', async () => {
    await accounts.find(secret);
    nowMs += 10_000;
    expect(accounts.find(secret)).toMatchObject({ keyId: 'key_1' });
    keys.stoppedListening();
    store.rows.delete(hashSecret(secret));
    expect(await accounts.find(secret)).toBeUndefined();
    store.rows.set(hashSecret(secret), record());
    nowMs += 1000;
    await accounts.find(secret);
    store.rows.delete(hashSecret(secret));
    nowMs += 1000;
    keys.nowListening();
    expect(await accounts.find(secret)).toBeUndefined();
  });

  test('refreshes a key in use in the background, in case a notification was lost', async () => {
    await accounts.find(secret);
    store.rows.delete(hashSecret(secret));
    nowMs += 30_001;
    expect(accounts.find(secret)).toMatchObject({ keyId: 'key_1' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(accounts.find(secret)).toBeUndefined();
  });

  test('refuses a key from its expiry on, by the clock of the store', async () => {
    store.rows.set(hashSecret(secret), record({ expiresInMs: 5000 }));
    await accounts.find(secret);
    nowMs += 4999;
    expect(accounts.find(secret)).toMatchObject({ keyId: 'key_1' });
    nowMs += 1;
    expect(accounts.find(secret)).toBeUndefined();
  });

  test('accepts cached keys for the grace period while the store is down; others get retry-after, never access', async () => {
    await accounts.find(secret);
    store.isDown = true;
    keys.stoppedListening();
    nowMs += 1000;
    expect(await statusOf(() => accounts.find(secret))).toBe('key_1');
    expect(await statusOf(() => accounts.find(newKeySecret()))).toBe('overloaded');
    const { asked } = store;
    expect(await statusOf(() => accounts.find(newKeySecret()))).toBe('overloaded');
    expect(store.asked).toBe(asked);
    nowMs += GRACE_MS;
    expect(await statusOf(() => accounts.find(secret))).toBe('overloaded');
    expect(accounts.find(fileSecret)).toMatchObject({ keyId: 'file' });
    store.isDown = false;
    nowMs += 1000;
    expect(await statusOf(() => accounts.find(secret))).toBe('key_1');
  });

  test('counts the grace period from the last contact, not from the last lookup', async () => {
    await accounts.find(secret);
    nowMs += 10 * GRACE_MS;
    keys.noteContact();
    store.isDown = true;
    keys.stoppedListening();
    nowMs += 1000;
    expect(await statusOf(() => accounts.find(secret))).toBe('key_1');
  });

  test('does not trust a cached key forever because no notification came', async () => {
    await accounts.find(secret);
    store.isDown = true;
    nowMs += GRACE_MS + 1;
    expect(await statusOf(() => accounts.find(secret))).toBe('overloaded');
  });
});

describe('a key that lives while its person signs in', () => {
  const sentence = async (): Promise<string> => {
    try {
      await accounts.find(secret);
      return 'accepted';
    } catch (error) {
      return error instanceof GatewayError ? `${error.fault.kind}: ${error.fault.message}` : String(error);
    }
  };
  const LATE = /^forbidden: .*Sign in at https:\/\/gw\.example\.com\/console\//;

  test('costs no lookup until its last proof is too old, and is then refused with what to do', async () => {
    store.rows.set(hashSecret(secret), record({ memberId: 'mem_ann', expiresInMs: 20_000, proof: 'counted' }));
    await accounts.find(secret);
    nowMs += 19_999;
    expect(accounts.find(secret)).toMatchObject({ keyId: 'key_1' });
    expect(store.asked).toBe(1);
    store.rows.set(hashSecret(secret), record({ memberId: 'mem_ann', proof: 'due', isSuspended: true }));
    nowMs += 1;
    expect(await sentence()).toMatch(LATE);
    expect(await sentence()).toMatch(LATE);
    expect(store.asked).toBe(2);
  });

  test('works on without a break if there was a proof by then, and again once there is one', async () => {
    store.rows.set(hashSecret(secret), record({ expiresInMs: 20_000, proof: 'counted' }));
    await accounts.find(secret);
    nowMs += 20_000;
    expect(await sentence()).toBe('accepted');
    store.rows.set(hashSecret(secret), record({ proof: 'due', isSuspended: true }));
    nowMs += 20_000;
    expect(await sentence()).toMatch(LATE);
    store.rows.set(hashSecret(secret), record({ expiresInMs: 20_000, proof: 'counted' }));
    expect(await sentence()).toMatch(LATE);
    keys.forget(`key:${hashSecret(secret)}`);
    expect(await sentence()).toBe('accepted');
  });

  test('is not accepted for the time of grace when the store cannot say whether there was a proof', async () => {
    store.rows.set(hashSecret(secret), record({ expiresInMs: 20_000, proof: 'counted' }));
    await accounts.find(secret);
    store.isDown = true;
    nowMs += 20_000;
    expect([await sentence(), await sentence()]).toEqual([
      expect.stringMatching(/^overloaded/),
      expect.stringMatching(/^overloaded/),
    ]);
    store.isDown = false;
    nowMs += 1000;
    expect(await sentence()).toBe('accepted');
  });

  test('an account that is suspended is still called so', async () => {
    store.rows.set(hashSecret(secret), record({ proof: 'counted', expiresInMs: 20_000, isSuspended: true }));
    expect(await sentence()).toBe('forbidden: This account is suspended.');
  });
});
