/** Texts of the interface. English is the key; `build/catalogues.ts` finds it in the sources. */
import { i18n } from '@lingui/core';

export type Language = 'en' | 'de' | 'zh-Hans';

export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English',
  de: 'Deutsch',
  'zh-Hans': '简体中文',
};

const LOADERS: Readonly<Record<Language, () => Promise<{ messages: Parameters<typeof i18n.load>[1] }>>> = {
  en: () => import('virtual:messages/en'),
  de: () => import('virtual:messages/de'),
  'zh-Hans': () => import('virtual:messages/zh-Hans'),
};

export async function activateLanguage(language: Language): Promise<void> {
  const { messages } = await LOADERS[language]();
  i18n.loadAndActivate({ locale: language, messages });
  document.documentElement.lang = language;
}

/** The first of the browser's languages that there is. */
export function browserLanguage(): Language {
  for (const wanted of navigator.languages) {
    if (wanted.startsWith('zh')) return 'zh-Hans';
    if (wanted.startsWith('de')) return 'de';
    if (wanted.startsWith('en')) return 'en';
  }
  return 'en';
}

/** For `Intl`: the language of the interface. */
export const locale = (): string => i18n.locale || 'en';

/** Catalogues leave out what reads like its key, which most of English does. */
export const t = (message: string, values?: Record<string, unknown>): string =>
  message in i18n.messages ? i18n._(message, values) : message;

/** Messages by name, as texts. */
export const translated = <K extends string>(messages: Readonly<Record<K, string>>): Readonly<Record<K, string>> =>
  Object.fromEntries(Object.entries<string>(messages).map(([name, message]) => [name, t(message)])) as Record<
    K,
    string
  >;

/** Marks a text that is shown later, with `t`. */
export const msg = (message: string): string => message;
