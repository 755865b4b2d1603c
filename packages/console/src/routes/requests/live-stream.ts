/** Server-sent events that come again: a browser reconnects by itself only after a lost connection, not after a refusal. */
const AGAIN_MS = 5000;

export type StreamListeners = {
  readonly onOpen: () => void;
  readonly onLost: () => void;
  readonly on: Readonly<Record<string, (data: string) => void>>;
};

/** Returns what ends it. */
export function openStream(address: string, { onOpen, onLost, on }: StreamListeners): () => void {
  let stream: EventSource;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const open = (): void => {
    stream = new EventSource(address);
    stream.onopen = onOpen;
    stream.onerror = () => {
      onLost();
      if (stream.readyState === EventSource.CLOSED) timer = setTimeout(open, AGAIN_MS);
    };
    for (const [event, take] of Object.entries(on))
      stream.addEventListener(event, ({ data }: MessageEvent<string>) => take(data));
  };
  open();
  return () => {
    clearTimeout(timer);
    stream.close();
  };
}
