// What `trivium connect`, the pages about clients and the tests with real agents share: the settings of one client as data.

/** What clients must be given of a model; absent what is not known. */
export interface ReadingFacts {
  /** In tokens. */
  readonly contextLength?: number | undefined;
  readonly readsPictures?: boolean | undefined;
}

export interface ClientConnection extends ReadingFacts {
  /** Address of the gateway, without a path or a slash at its end. */
  readonly gateway: string;
  readonly key: string;
  readonly model: string;
}

export interface ConnectOptions {
  readonly url?: string;
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
  /** It assumes facts of its own unless it is given those of the model. */
  readonly needsModelFacts?: true;
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
