/** The form of managed settings: read from a version, and what it asks of the API. */
import type { Schemas } from '../../api/client.ts';
import { parsed } from '../../format/json-lines.ts';

export type Entry = Schemas['ManagedSettings'];

export const EMPTY_FORM = {
  name: '',
  description: '',
  priority: '100',
  /** Separated by commas: names of groups have spaces. */
  groups: '',
  accounts: '',
  unchecked: '',
  /** JSON. */
  settings: '{\n  \n}',
};
export type ManagedForm = Readonly<typeof EMPTY_FORM>;

export const formOf = ({ name, description = '', priority = 100, match = {}, settings, unchecked }: Entry) => ({
  name,
  description,
  priority: String(priority),
  groups: (match.groups ?? []).join(', '),
  accounts: (match.accounts ?? []).join(', '),
  unchecked: (unchecked ?? []).join(', '),
  settings: JSON.stringify(settings, null, 2),
});

/** Undefined: the text is not that of settings. */
export function settingsIn(text: string): Entry['settings'] | undefined {
  const settings = parsed(text);
  return typeof settings === 'object' && settings !== null && !Array.isArray(settings)
    ? (settings as Entry['settings'])
    : undefined;
}

const namesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];

/** Undefined: the settings are not JSON. What is empty is left out. */
export function entryOf(form: ManagedForm): Entry | undefined {
  const settings = settingsIn(form.settings);
  if (settings === undefined) return undefined;
  const [groups, accounts, unchecked] = [namesIn(form.groups), namesIn(form.accounts), namesIn(form.unchecked)];
  const match = { ...(groups.length > 0 && { groups }), ...(accounts.length > 0 && { accounts }) };
  const description = form.description.trim();
  return {
    name: form.name.trim(),
    ...(description !== '' && { description }),
    priority: Number(form.priority),
    ...(Object.keys(match).length > 0 && { match }),
    settings,
    ...(unchecked.length > 0 && { unchecked }),
  };
}
