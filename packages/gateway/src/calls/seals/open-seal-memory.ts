/** Opens the seal memory: in memory, and in the database if there is one. */
import type { SealMemory } from '../../kernel/seals.ts';
import { KeptTurnRows } from '../../store/postgres/kept-turn-rows.ts';
import type { Store } from '../../store/postgres/store.ts';
import { LocalSealMemory, type SealMemoryBounds } from './seal-memory.ts';
import { SharedSealMemory } from './shared-seal-memory.ts';
import { TurnCipher } from './turn-cipher.ts';

export type SealSettings = { readonly keys: readonly string[]; readonly memory: SealMemoryBounds };
export type OpenSealMemory = SealMemory & { close(): Promise<void> };

/** `settings` may change while we run. */
export function openSealMemory(
  settings: () => SealSettings,
  nowMs: () => number,
  store: Store | undefined,
  onTrouble: (error: unknown) => void,
): OpenSealMemory {
  const here = new LocalSealMemory(() => settings().memory, nowMs);
  if (store === undefined) return Object.assign(here, { close: () => Promise.resolve() });
  let keys = settings().keys;
  let cipher = new TurnCipher(keys);
  return new SharedSealMemory({
    here,
    rows: new KeptTurnRows(store),
    cipher: () => {
      if (settings().keys !== keys) {
        keys = settings().keys;
        cipher = new TurnCipher(keys);
      }
      return cipher;
    },
    ttlMs: () => settings().memory.ttlMs,
    nowMs,
    onTrouble,
  });
}
