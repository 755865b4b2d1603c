// What `trivium connect`, the pages about clients and the tests with real agents share: the settings of one client as data.

export interface ClientConnection {
  /** Address of the gateway, without a path or a slash at its end. */
  readonly gateway: string;
  readonly key: string;
  readonly model: string;
  /** In tokens, for clients that must be given it; absent if it is not known. */
  readonly contextLength?: number | undefined;
}

export interface ConnectOptions {
  readonly url: string;
  readonly model: string;
  readonly write?: true;
}

/** A file of the client's own settings. */
interface SettingsFile {
  /** Below the user's home folder, or beside the project where `inProject` says so. */
  readonly path: string;
  readonly inProject?: true;
  readonly format: 'json' | 'toml' | 'yaml';
  readonly text: (connection: ClientConnection) => string;
}

export interface Client {
  readonly id: string;
  readonly name: string;
  readonly protocol: 'chat completions' | 'Responses' | 'messages' | 'generate content';
  /** It assumes a context length of its own unless it is given one. */
  readonly needsContextLength?: true;
  readonly environment?: (connection: ClientConnection) => Readonly<Record<string, string>>;
  readonly files?: readonly SettingsFile[];
  /** What a person enters in the client's own windows, as label and value. */
  readonly fields?: (connection: ClientConnection) => readonly (readonly [label: string, value: string])[];
  /** Where those windows are. */
  readonly where?: string;
  /** The command that starts it with the model. */
  readonly start?: (connection: ClientConnection) => string;
  /** How to see that it works. */
  readonly check: string;
  /** What does not pass, or needs a word. */
  readonly notes: readonly string[];
}

export const openAiBase = ({ gateway }: ClientConnection): string => `${gateway}/v1`;

export const jsonText = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
