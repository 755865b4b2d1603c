/** The `docker run` line of a page, read as far as we can play it. A flag that is not known here is an error: then the page has grown. */

export type RunLine = {
  readonly image: string;
  readonly isReadOnly: boolean;
  readonly uid: number;
  readonly gid: number;
  readonly dropsCapabilities: boolean;
  readonly noNewPrivileges: boolean;
  readonly ports: readonly { readonly host: number; readonly container: number }[];
  readonly volumes: readonly { readonly from: string; readonly to: string; readonly isReadOnly: boolean }[];
  /** Names of variables that are passed on. */
  readonly variables: readonly string[];
  readonly stopTimeoutSeconds: number;
};

const SWITCHES: ReadonlySet<string> = new Set(['--detach', '--read-only']);
const OPTIONS: ReadonlySet<string> = new Set([
  '--name',
  '--user',
  '--cap-drop',
  '--security-opt',
  '--publish',
  '--volume',
  '--env',
  '--stop-timeout',
]);

const wordsOf = (command: string): readonly string[] =>
  [...command.replaceAll('\\\n', ' ').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );

export function parseRunLine(command: string): RunLine {
  const [docker, run, ...words] = wordsOf(command.trim());
  if (docker !== 'docker' || run !== 'run') throw new Error(`not a docker run line: ${command}`);
  const given = new Map<string, string[]>();
  let image: string | undefined;
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (SWITCHES.has(word)) given.set(word, []);
    else if (OPTIONS.has(word)) given.set(word, [...(given.get(word) ?? []), words.shift() ?? '']);
    else if (word.startsWith('-') || image !== undefined) throw new Error(`cannot play ${word}`);
    else image = word;
  }
  if (image === undefined) throw new Error('the line names no image');
  const all = (name: string): readonly string[] => given.get(name) ?? [];
  const [uid = Number.NaN, gid = Number.NaN] = (all('--user')[0] ?? '').split(':').map(Number);
  return {
    image,
    isReadOnly: given.has('--read-only'),
    uid,
    gid,
    dropsCapabilities: all('--cap-drop').includes('ALL'),
    noNewPrivileges: all('--security-opt').includes('no-new-privileges'),
    ports: all('--publish').map((ports) => {
      const [host = Number.NaN, container = Number.NaN] = ports.split(':').map(Number);
      return { host, container };
    }),
    volumes: all('--volume').map((volume) => {
      const [from = '', to = '', mode] = volume.split(':');
      return { from, to, isReadOnly: mode === 'ro' };
    }),
    variables: all('--env'),
    stopTimeoutSeconds: Number(all('--stop-timeout')[0] ?? 10),
  };
}
