/** What a person prefers on this device: theme, zone, language, width of the rail. Nothing secret, so it may be kept in the browser. */
import { useSyncExternalStore } from 'react';
import type { Zone } from '../format/when.ts';
import { activateLanguage, browserLanguage, LANGUAGE_NAMES, type Language, msg } from '../i18n/t.ts';

export type Theme = 'auto' | 'light' | 'dark';
export type Preferences = {
  readonly theme: Theme;
  readonly zone: Zone;
  readonly language: Language;
  readonly isRailNarrow: boolean;
};

const PLACE = 'trivium-console';
export const THEME_NAMES: Readonly<Record<Theme, string>> = {
  auto: msg('As the system'),
  light: msg('Light'),
  dark: msg('Dark'),
};

function isZone(zone: unknown): zone is Zone {
  if (zone === 'local') return true;
  if (typeof zone !== 'string') return false;
  try {
    return Intl.DateTimeFormat('en', { timeZone: zone }) !== undefined;
  } catch {
    return false;
  }
}

/** The stored value may come from another version or be edited by hand. */
function read(): Preferences {
  let stored: Record<string, unknown> = {};
  try {
    stored = (JSON.parse(localStorage.getItem(PLACE) ?? '{}') ?? {}) as Record<string, unknown>;
  } catch {
    // Storage is disabled or holds something else: use the defaults.
  }
  const { theme, zone, language, isRailNarrow } = stored;
  return {
    theme: String(theme) in THEME_NAMES ? (theme as Theme) : 'auto',
    zone: isZone(zone) ? zone : 'local',
    language: String(language) in LANGUAGE_NAMES ? (language as Language) : browserLanguage(),
    isRailNarrow: isRailNarrow === true,
  };
}

let current = read();
const listeners = new Set<() => void>();

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const preferences = (): Preferences => current;
export const usePreferences = (): Preferences => useSyncExternalStore(subscribe, preferences);
export const useZone = (): Zone => usePreferences().zone;

export function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (current.theme === 'auto') delete dataset['theme'];
  else dataset['theme'] = current.theme;
}

export function prefer(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  applyTheme();
  try {
    localStorage.setItem(PLACE, JSON.stringify(current));
  } catch {
    // Storage is disabled: the preferences last until the page is closed.
  }
  for (const listener of listeners) listener();
}

/** Texts are there before they are asked for. */
export async function speak(language: Language): Promise<void> {
  await activateLanguage(language);
  prefer({ language });
}
